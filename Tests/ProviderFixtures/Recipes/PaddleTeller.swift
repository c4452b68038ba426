import Payments

@testable import Providers

/// Paddle: one transaction may be tried several times, and is paid before it is completed; a
/// reversed chargeback is an adjustment that names the transaction only.
package struct PaddleTeller: Teller {
    package static let abilities: Abilities = [
        .disputes, .disputeReversals, .failedRefunds, .secondPayments, .tries,
    ]
    package static let troubles: Abilities = []
    package let isUnclear = false

    private let reading = RecipeReading("paddle")
    private let reference: String
    private let saysPaid: Bool
    private let saysBilled: Bool
    private let updatesReversed: Bool
    /// The transactions of chargebacks.
    private var disputed: [String: String] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        saysPaid = generator.once(in: 2)
        saysBilled = generator.once(in: 2)
        updatesReversed = generator.once(in: 2)
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, .paid, let amount):
            let told = transaction("completed", "\(number)c", id, amount)
            return saysPaid ? transaction("paid", "\(number)p", id, amount) + told : told
        case .attempt(let id, .pending, let amount):
            return transaction("billed", "\(number)b", id, amount)
        case .attempt(let id, _, let amount):
            let told = transaction("payment_failed", "\(number)f", id, amount)
            return saysBilled ? transaction("past_due", "\(number)d", id, amount) + told : told
        case .refund(let id, let payment, let status, let amount):
            return tell(refund: id, of: payment, status, amount, number)
        case .dispute(let id, let payment, _, let amount):
            disputed[id] = payment
            return adjustment("created", number, id, payment, amount, "chargeback", "approved")
        case .disputeReversal(let id, let dispute, _, let amount):
            let payment = disputed[dispute] ?? ""
            let told = adjustment(
                "created", number, id, payment, amount, "chargeback_reverse", "approved")
            guard updatesReversed else { return told }
            return told
                + adjustment(
                    "updated", number, dispute, payment, amount, "chargeback", "reversed")
        case .capture, .void, .refundReversal, .raise, .cancel: return []
        }
    }

    private func tell(
        refund id: String, of payment: String, _ status: ActionStatus, _ amount: Int64,
        _ number: Int
    ) -> [Notification] {
        let begun = adjustment(
            "created", number, id, payment, amount, "refund", "pending_approval")
        switch status {
        case .pending: return begun
        case .succeeded:
            return begun
                + adjustment("updated", number, id, payment, amount, "refund", "approved")
        case .failed:
            return begun
                + adjustment("updated", number, id, payment, amount, "refund", "rejected")
        }
    }

    private func transaction(
        _ word: String, _ number: String, _ id: String, _ amount: Int64
    ) -> [Notification] {
        event(
            "transaction.\(word)", number,
            [
                ("id", .text("txn_\(id)")),
                ("custom_data", .object([("order_id", .text(reference))])),
                (
                    "details",
                    .object([
                        (
                            "totals",
                            .object([
                                ("total", .text("\(amount + 100)")), ("credit", .text("100")),
                                ("balance", .text("0")), ("grand_total", .text("\(amount)")),
                            ])
                        )
                    ])
                ),
            ])
    }

    private func adjustment(
        _ word: String, _ number: Int, _ id: String, _ payment: String, _ amount: Int64,
        _ action: String, _ status: String
    ) -> [Notification] {
        event(
            "adjustment.\(word)", "\(number)\(word)",
            [
                ("id", .text("adj_\(id)")), ("action", .text(action)),
                ("transaction_id", .text("txn_\(payment)")), ("status", .text(status)),
                ("reason", .text("other")), ("totals", .object([("total", .text("\(amount)"))])),
            ])
    }

    private func event(
        _ type: String, _ number: String, _ data: [(String, Body)]
    ) -> [Notification] {
        reading.read(
            .object([
                ("event_id", .text("evt_\(reference)_\(number)")), ("event_type", .text(type)),
                ("occurred_at", .text("2026-10-01T10:00:00.000000Z")),
                ("notification_id", .text("ntf_\(reference)_\(number)")),
                ("data", .object(data + [("currency_code", .text("EUR"))])),
            ]))
    }
}
