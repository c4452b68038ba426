import Payments

@testable import Providers

/// Square: the same status comes again with another event id and a running total of refunds, and a
/// dispute is at either of two places.
package struct SquareTeller: Teller {
    package static let abilities: Abilities = [
        .disputes, .openDisputes, .failedRefunds, .secondPayments,
    ]
    package static let troubles: Abilities = [.retries]
    package let isUnclear = false

    private let reading = RecipeReading("square")
    private let reference: String
    private let disputeName: String
    private var paid: [String: Int64] = [:]
    private var refunded: [String: Int64] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        disputeName = generator.pick(["dispute", "object"])
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            let word =
                switch status {
                case .paid: "COMPLETED"
                case .pending: "PENDING"
                default: "FAILED"
                }
            if status == .paid { paid[id] = amount }
            return payment(id, word, amount, number)
        case .refund(let id, let payment, let status, let amount):
            let word =
                switch status {
                case .succeeded: "COMPLETED"
                case .pending: "PENDING"
                case .failed: "REJECTED"
                }
            let told = event(
                "refund.updated", "\(number)r", id, "refund",
                [
                    ("payment_id", .text(payment)), ("order_id", .text("O-\(id)")),
                    ("status", .text(word)), ("amount_money", Self.money(amount)),
                ])
            guard status == .succeeded, let sum = paid[payment] else { return told }
            refunded[payment, default: 0] += amount
            return told + self.payment(payment, "COMPLETED", sum, number)
        case .dispute(let id, let payment, let status, let amount):
            let word =
                switch status {
                case .open: "EVIDENCE_REQUIRED"
                case .closed: "INQUIRY_CLOSED"
                case .won: "WON"
                case .lost: "ACCEPTED"
                }
            return event(
                "dispute.state.updated", "\(number)d", id, disputeName,
                [
                    ("disputed_payment", .object([("payment_id", .text(payment))])),
                    ("state", .text(word)), ("amount_money", Self.money(amount)),
                ])
        case .capture, .void, .refundReversal, .disputeReversal, .raise, .cancel: return []
        }
    }

    private func payment(
        _ id: String, _ word: String, _ amount: Int64, _ number: Int
    ) -> [Notification] {
        var payment: [(String, Body)] = [
            ("status", .text(word)), ("total_money", Self.money(amount)),
            ("reference_id", .text(reference)), ("order_id", .text("O-\(reference)")),
        ]
        if let sum = refunded[id] { payment.append(("refunded_money", Self.money(sum))) }
        return event("payment.updated", "\(number)p", id, "payment", payment)
    }

    private static func money(_ amount: Int64) -> Body {
        .object([("amount", .number(amount)), ("currency", .text("EUR"))])
    }

    private func event(
        _ type: String, _ number: String, _ id: String, _ name: String, _ object: [(String, Body)]
    ) -> [Notification] {
        reading.read(
            .object([
                ("merchant_id", .text("ML1")), ("type", .text(type)),
                ("event_id", .text("\(reference)-\(number)")),
                ("created_at", .text("2026-10-01T10:00:00.123Z")),
                (
                    "data",
                    .object([
                        ("id", .text(id)),
                        ("object", .object([(name, .object([("id", .text(id))] + object))])),
                    ])
                ),
            ]))
    }
}
