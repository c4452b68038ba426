import Payments

@testable import Providers

/// Paystack: failures are not reported, each kind counts its ids anew, a refund's bank reference
/// comes late, and amounts are numbers or text.
package struct PaystackTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .voids, .disputes, .openDisputes, .failedRefunds, .successesOnly,
    ]
    package static let troubles: Abilities = []
    package let isUnclear = false

    private let reading = RecipeReading("paystack")
    private let reference: String
    private let amountsAreText: Bool
    private let failuresAreNamed: Bool
    private let metadata: Body
    /// The numbers of each kind's ids, all from the same one on.
    private var numbers: [String: [String]] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        amountsAreText = generator.once(in: 2)
        failuresAreNamed = generator.once(in: 2)
        metadata = generator.pick([
            .number(0), .text(""), .null, .object([("cart", .number(1))]), .text(#"{\"cart\":1}"#),
        ])
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, .paid, let amount):
            return event(
                "charge.success",
                [
                    ("id", self.number(id, of: "charge")), ("reference", .text(reference)),
                    ("amount", .number(amount)), ("requested_amount", .number(amount - 1)),
                    ("fees", .number(1)), ("paid_at", .text("2026-10-01T10:00:00.000Z")),
                ])
        case .attempt(let id, .authorized, let amount):
            return preauthorization("reserve.success", id, [("amount", .number(amount))])
        // Nothing is reported about these.
        case .attempt: return []
        case .capture(let id, let payment, let status, let amount):
            let word = status == .succeeded ? "success" : "failed"
            return preauthorization(
                "capture.\(word)", payment,
                [
                    ("transaction_id", self.number(id, of: "capture")),
                    ("captured_amount", .text("\(amount)")),
                ])
        case .void(_, let payment, let amount):
            return preauthorization("release.success", payment, [("amount", .number(amount))])
        case .refund(let id, _, let status, let amount): return tell(refund: id, status, amount)
        case .dispute(let id, let payment, let status, let amount):
            return tell(dispute: id, of: payment, status, amount)
        case .refundReversal, .disputeReversal, .raise, .cancel: return []
        }
    }

    private func tell(
        refund id: String, _ status: ActionStatus, _ amount: Int64
    ) -> [Notification] {
        let bank = Body.text("TRF_\(id)")
        let last: (String, Body)? =
            switch status {
            case .succeeded: ("processed", bank)
            case .pending: nil
            case .failed: ("failed", failuresAreNamed ? bank : .null)
            }
        return ([("pending", .null), ("processing", .null)] + [last].compactMap(\.self)).flatMap {
            (word, name) in
            event(
                "refund.\(word)",
                [
                    ("status", .text(word)), ("transaction_reference", .text(reference)),
                    ("refund_reference", name),
                    ("amount", amountsAreText ? .text("\(amount)") : .number(amount)),
                ])
        }
    }

    private mutating func tell(
        dispute id: String, of payment: String, _ status: DisputeStatus, _ amount: Int64
    ) -> [Notification] {
        let resolution: Body =
            switch status {
            case .open: .null
            case .won, .closed: .text("declined")
            case .lost: .text(amountsAreText ? "merchant-accepted" : "auto-accepted")
            }
        let dispute: [(String, Body)] = [
            ("id", number(id, of: "dispute")), ("refund_amount", .number(amount)),
            ("status", .text(status == .open ? "awaiting-merchant-feedback" : "resolved")),
            ("resolution", resolution),
            (
                "transaction",
                .object([
                    ("id", number(payment, of: "charge")), ("reference", .text(reference)),
                ])
            ),
        ]
        guard status == .open else { return event("charge.dispute.resolve", dispute) }
        return ["create", "remind"].flatMap { event("charge.dispute.\($0)", dispute) }
    }

    private mutating func preauthorization(
        _ word: String, _ id: String, _ data: [(String, Body)]
    ) -> [Notification] {
        let preauthorization: [(String, Body)] = [
            ("id", number(id, of: "preauthorization")), ("reference", .text(reference)),
        ]
        return event("preauthorization.\(word)", preauthorization + data)
    }

    /// The number of an id in the series of its kind: 543 is the first of each.
    private mutating func number(_ id: String, of kind: String) -> Body {
        var known = numbers[kind] ?? []
        let place = known.firstIndex(of: id) ?? known.count
        if place == known.count { known.append(id) }
        numbers[kind] = known
        return .number(Int64(543 + place))
    }

    private func event(_ name: String, _ data: [(String, Body)]) -> [Notification] {
        reading.read(
            .object([
                ("event", .text(name)),
                (
                    "data",
                    .object(
                        data + [
                            ("domain", .text("live")), ("currency", .text("EUR")),
                            ("metadata", metadata),
                        ])
                ),
            ]))
    }
}
