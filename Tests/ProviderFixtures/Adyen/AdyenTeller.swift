import JSON
import Payments

@testable import Providers

/// Adyen: modifications name their payment by `originalReference` and carry a reference of their
/// own, the payment's, or none; disputes may lack `originalReference`. A first offer that the
/// shopper left is closed last, with another `pspReference`.
package struct AdyenTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .voids, .refundReversals, .disputes, .openDisputes, .failedRefunds,
        .secondPayments,
    ]
    package static let troubles: Abilities = []
    package let isUnclear = false

    private enum Naming: CaseIterable { case own, neighbours, payments, none }
    private let reference: String
    private let neighbour: String
    private let naming: Naming
    private let disputesNamePayment: Bool
    private let repeats: Bool
    private let capture: EndpointSettings.Capture
    /// Payments of captures, which refunds and disputes do not name.
    private var owners: [String: String] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        neighbour = life.neighbour
        naming = generator.pick(Naming.allCases)
        disputesNamePayment = generator.once(in: 2)
        repeats = generator.once(in: 3)
        let isManual = life.facts.contains {
            if case .attempt(_, .authorized, _) = $0 { true } else { false }
        }
        capture = isManual ? .manual : .automatic
    }

    package mutating func tell(_ life: Life) -> [Notification] {
        var told: [Notification] = []
        for (number, fact) in life.facts.enumerated() { told += tell(fact, number: number) }
        // The abandoned first offer of an order that went on with a second one.
        if life.liveAttempts.count == 1, let total = life.facts.last.map({ _ in life.total }) {
            told += item(
                Self.reference("offer of \(reference)"), "OFFER_CLOSED", true, total, own: reference
            )
        }
        return told
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            guard status != .pending else { return [] }
            return item(
                Self.reference(id), "AUTHORISATION", status != .failed, amount, own: reference)
        case .capture(let id, let payment, let status, let amount):
            owners[id] = payment
            return operation(id, "CAPTURE", status != .failed, amount, of: payment)
        case .refund(let id, let parent, let status, let amount):
            let code = status == .pending ? "POSTPONED_REFUND" : "REFUND"
            return operation(id, code, status != .failed, amount, of: parent)
        case .void(let id, let payment, let amount):
            return operation(id, "CANCEL_OR_REFUND", true, amount, of: payment)
        case .refundReversal(_, let refund, let amount):
            // Under the pspReference of the refund.
            return operation(refund, "REFUNDED_REVERSED", true, amount, of: refund)
        case .dispute(let id, let parent, let status, let amount):
            let code =
                switch status {
                case .open: "NOTIFICATION_OF_CHARGEBACK"
                case .lost: "CHARGEBACK"
                case .won, .closed: "CHARGEBACK_REVERSED"
                }
            guard disputesNamePayment else {
                return item(Self.reference(id), code, true, amount, own: reference)
            }
            return operation(id, code, true, amount, of: parent)
        case .disputeReversal, .raise, .cancel: return []
        }
    }

    private func operation(
        _ id: String, _ code: String, _ isSuccess: Bool, _ amount: Int64, of parent: String
    ) -> [Notification] {
        let own: String? =
            switch naming {
            case .own: "own-\(id)"
            case .neighbours: neighbour
            case .payments: reference
            case .none: nil
            }
        return item(
            Self.reference(id), code, isSuccess, amount, own: own,
            original: Self.reference(owners[parent] ?? parent))
    }

    private func item(
        _ psp: String, _ code: String, _ isSuccess: Bool, _ amount: Int64, own: String?,
        original: String? = nil
    ) -> [Notification] {
        (0..<(repeats ? 2 : 1)).flatMap { repetition in
            var members: [(String, Body)] = [
                ("pspReference", .text(psp)), ("merchantAccountCode", .text("ShopECOM")),
                ("amount", .object([("value", .number(amount)), ("currency", .text("EUR"))])),
                ("eventCode", .text(code)), ("success", .text(isSuccess ? "true" : "false")),
                ("eventDate", .text("2026-01-01T00:00:0\(repetition)+01:00")),
                ("additionalData", .object([("hmacSignature", .text("x"))])),
            ]
            members.append(("merchantReference", own.map { .text($0) } ?? .null))
            if let original { members.append(("originalReference", .text(original))) }
            let body = Body.object([
                (
                    "notificationItems",
                    .object([("0", .object([("NotificationRequestItem", .object(members))]))])
                )
            ])
            return Self.read(body, capture)
        }
    }

    private static func read(
        _ body: Body, _ capture: EndpointSettings.Capture
    ) -> [Notification] {
        let text = body.description.replacing("{\"0\":", with: "[").dropLast(2) + "]}"
        var work = VerificationWork(receivedBytes: text.utf8.count)
        guard let root = try? JSONDocument(parsing: Array(text.utf8)).root,
            let items = try? AdyenItem.items(in: root, work: &work)
        else { return [] }
        return items.map {
            AdyenInterpretation(item: $0, isLive: true, capture: capture, mode: .live).notification
        }
    }

    /// A `pspReference` in Adyen's form that stands for `id`.
    private static func reference(_ id: String) -> String { AdyenSender.reference(id) }
}
