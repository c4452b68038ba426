import Payments

@testable import Providers

/// Open Payment Platform: operations name their object by `referencedId` and have their own
/// reference, the payment's, or none; or they name only the payment's reference.
package struct OPPTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .voids, .refundReversals, .disputes, .disputeReversals, .failedRefunds,
        .secondPayments,
    ]
    package static let troubles: Abilities = [.retries]
    /// A reversal without a reference does not show what it reverses.
    package let isUnclear: Bool

    private enum Naming: CaseIterable { case own, neighbours, payments, paymentsAlone, none }
    private let reference: String
    private let neighbour: String
    private let naming: Naming
    /// Whether several final statuses may be reported for one payment.
    private let repeats: Bool

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        neighbour = life.neighbour
        naming = generator.pick(Naming.allCases)
        repeats = generator.once(in: 3)
        let hasReversal = life.facts.contains {
            switch $0 {
            case .void, .refundReversal: true
            default: false
            }
        }
        isUnclear = naming == .paymentsAlone && hasReversal
    }

    package func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            let type = status == .authorized ? "PA" : "DB"
            let code =
                switch status {
                case .paid, .authorized: "000.000.000"
                case .pending: "000.200.000"
                default: "800.100.153"
                }
            return told(id, type, code, amount, reference: reference, of: nil, number)
        case .capture(let id, let payment, let status, let amount):
            return operation(id, "CP", status, amount, of: payment, number)
        case .refund(let id, let parent, let status, let amount):
            return operation(id, "RF", status, amount, of: parent, number)
        case .void(let id, let payment, let amount):
            return operation(id, "RV", .succeeded, amount, of: payment, number)
        case .refundReversal(let id, let refund, let amount):
            return operation(id, "RV", .succeeded, amount, of: refund, number)
        case .dispute(let id, let parent, _, let amount):
            return operation(id, "CB", .succeeded, amount, of: parent, number)
        case .disputeReversal(let id, _, let named, let amount):
            return operation(id, "CR", .succeeded, amount, of: named, number)
        case .raise, .cancel: return []
        }
    }

    /// The report lists every transaction with its last result code, so it cannot show that one had
    /// failed before.
    package func answer(_ life: Life, _ truth: Truth) -> [Notification] {
        guard naming == .payments || naming == .none, !truth.isContradicted else { return [] }
        let teller = self
        var last: [String: Notification] = [:]
        var order: [String] = []
        for (number, fact) in life.facts.enumerated() {
            for told in teller.tell(fact, number: number) {
                let id = told.effect.id ?? told.transaction ?? ""
                if last.updateValue(told, forKey: id) == nil { order.append(id) }
            }
        }
        return order.compactMap { last[$0] }.map { told in
            var answered = told
            answered.id = "inquiry:\(told.id)"
            answered.kind = Notification.inquiryKind
            return answered
        }
    }

    private func operation(
        _ id: String, _ type: String, _ status: ActionStatus, _ amount: Int64, of parent: String,
        _ number: Int
    ) -> [Notification] {
        let code =
            switch status {
            case .succeeded: "000.000.000"
            case .pending: "000.200.000"
            case .failed: "800.100.153"
            }
        let own: String? =
            switch naming {
            case .own: "own-\(id)"
            case .neighbours: neighbour
            case .payments, .paymentsAlone: reference
            case .none: nil
            }
        return told(
            id, type, code, amount, reference: own, of: naming == .paymentsAlone ? nil : parent,
            number)
    }

    private func told(
        _ id: String, _ type: String, _ code: String, _ amount: Int64, reference: String?,
        of parent: String?, _ number: Int
    ) -> [Notification] {
        (0..<(repeats ? 2 : 1)).map { repetition in
            var payload: [(String, Body)] = [
                ("id", .text(id)), ("paymentType", .text(type)),
                ("amount", .text(Money(minor: amount, currency: Money.sampleCurrency).decimal)),
                ("currency", .text("EUR")),
                ("result", .object([("code", .text(code)), ("description", .text("d"))])),
                ("timestamp", .text("2026-01-01 00:00:\(10 + number % 40)+000\(repetition)")),
            ]
            if let reference { payload.append(("merchantTransactionId", .text(reference))) }
            if let parent { payload.append(("referencedId", .text(parent))) }
            let body = Body.object([("type", .text("PAYMENT")), ("payload", .object(payload))])
            return OPPInterpretation.notification(plaintext: body.bytes, mode: .live)
        }
    }
}
