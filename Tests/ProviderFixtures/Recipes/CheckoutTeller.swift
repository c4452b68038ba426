import Payments

@testable import Providers

/// Checkout.com: approved is not paid, each capture and refund has an id of its own, the reference
/// may be missing in operations, and two names of the time.
package struct CheckoutTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .voids, .disputes, .openDisputes, .failedRefunds,
    ]
    package static let troubles: Abilities = [.retries]
    package let isUnclear = false

    private let reading = RecipeReading("checkout")
    private let reference: String
    private let namesReference: Bool
    private let time: String
    private var payments: [String: String] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        namesReference = generator.once(in: 2)
        time = generator.pick(["created_on", "timestamp"])
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, .paid, let amount):
            payments["C-\(id)"] = id
            return event("payment_approved", number, id, "A-\(id)", amount, isAttempt: true)
                + event("payment_captured", number, id, "C-\(id)", amount)
        case .attempt(let id, let status, let amount):
            let word =
                switch status {
                case .authorized: "approved"
                case .pending: "pending"
                default: "declined"
                }
            return event("payment_\(word)", number, id, "A-\(id)", amount, isAttempt: true)
        case .capture(let id, let payment, let status, let amount):
            payments[id] = payment
            let word = status == .succeeded ? "captured" : "capture_declined"
            return event("payment_\(word)", number, payment, id, amount)
        case .refund(let id, let parent, let status, let amount):
            let word =
                switch status {
                case .succeeded: "refunded"
                case .pending: "refund_pending"
                case .failed: "refund_declined"
                }
            return event("payment_\(word)", number, payments[parent] ?? parent, id, amount)
        case .void(let id, let payment, let amount):
            return event("payment_voided", number, payment, id, amount)
        case .dispute(let id, let parent, let status, let amount):
            let word =
                switch status {
                case .open: "evidence_required"
                case .closed: "resolved"
                case .won: "arbitration_won"
                case .lost: "expired"
                }
            return told(
                "dispute_\(word)", number,
                [
                    ("id", .text("dsp_\(id)")),
                    ("payment_id", .text("pay_\(payments[parent] ?? parent)")),
                    ("amount", .number(amount)), ("currency", .text("EUR")),
                ])
        case .refundReversal, .disputeReversal, .raise, .cancel: return []
        }
    }

    private func event(
        _ type: String, _ number: Int, _ payment: String, _ action: String, _ amount: Int64,
        isAttempt: Bool = false
    ) -> [Notification] {
        var data: [(String, Body)] = [
            ("id", .text("pay_\(payment)")), ("action_id", .text("act_\(action)")),
            ("amount", .number(amount)), ("currency", .text("EUR")),
        ]
        if isAttempt || namesReference { data.append(("reference", .text(reference))) }
        return told(type, number, data)
    }

    private func told(
        _ type: String, _ number: Int, _ data: [(String, Body)]
    ) -> [Notification] {
        reading.read(
            .object([
                ("id", .text("evt_\(reference)_\(number)_\(type)")), ("type", .text(type)),
                (time, .text("2026-10-01T10:00:00Z")), ("data", .object(data)),
            ]))
    }
}
