import Payments

@testable import Providers

/// Stripe: one PaymentIntent may be tried several times, Checkout reports the same payment once
/// more, each refund comes twice and is followed by a running total, and the reference may be the
/// Checkout session's only.
package struct StripeTeller: Teller {
    package static let abilities: Abilities = [
        .disputes, .openDisputes, .failedRefunds, .secondPayments, .tries,
    ]
    package static let troubles: Abilities = []
    package let isUnclear = false

    private let reading = RecipeReading("stripe")
    private let reference: String
    private let hasMetadata: Bool
    private let hasSession: Bool
    private var refunded: [String: Int64] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        hasMetadata = generator.once(in: 2)
        hasSession = !hasMetadata || generator.once(in: 2)
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount): tell(id, status, amount, number)
        case .refund(let id, let payment, let status, let amount):
            tell(refund: id, of: payment, status, amount, number)
        case .dispute(let id, let payment, let status, let amount):
            tell(dispute: id, of: payment, status, amount, number)
        case .capture, .void, .refundReversal, .disputeReversal, .raise, .cancel: []
        }
    }

    private func tell(
        _ id: String, _ status: AttemptStatus, _ amount: Int64, _ number: Int
    ) -> [Notification] {
        let (type, session, payment) =
            switch status {
            case .paid: ("succeeded", "completed", "paid")
            case .pending: ("processing", "completed", "unpaid")
            default: ("payment_failed", "async_payment_failed", "unpaid")
            }
        let metadata: [(String, Body)] = hasMetadata ? [("order_id", .text(reference))] : []
        var told = event(
            "payment_intent.\(type)", "\(number)p",
            [
                ("id", .text("pi_\(id)")), ("amount", .number(amount)),
                ("amount_received", .number(status == .paid ? amount : 0)),
                ("metadata", .object(metadata)), ("last_payment_error", .null),
            ])
        if hasSession {
            told += event(
                "checkout.session.\(session)", "\(number)s",
                [
                    ("id", .text("cs_\(id)")), ("payment_intent", .text("pi_\(id)")),
                    ("mode", .text("payment")), ("payment_status", .text(payment)),
                    ("client_reference_id", .text(reference)), ("amount_total", .number(amount)),
                ])
        }
        return told
    }

    private mutating func tell(
        refund id: String, of payment: String, _ status: ActionStatus, _ amount: Int64,
        _ number: Int
    ) -> [Notification] {
        let word =
            switch status {
            case .succeeded: "succeeded"
            case .pending: "requires_action"
            case .failed: "canceled"
            }
        var told: [Notification] = []
        for (type, word) in [("created", status == .failed ? "pending" : word), ("updated", word)] {
            told += event(
                "refund.\(type)", "\(number)\(type)",
                [
                    ("id", .text("re_\(id)")), ("amount", .number(amount)),
                    ("payment_intent", .text("pi_\(payment)")), ("charge", .text("ch_\(payment)")),
                    ("status", .text(word)),
                ])
        }
        guard status == .succeeded else { return told }
        refunded[payment, default: 0] += amount
        return told
            + event(
                "charge.refunded", "\(number)total",
                [
                    ("id", .text("ch_\(payment)")), ("payment_intent", .text("pi_\(payment)")),
                    ("amount_refunded", .number(refunded[payment] ?? 0)),
                ])
    }

    private func tell(
        dispute id: String, of payment: String, _ status: DisputeStatus, _ amount: Int64,
        _ number: Int
    ) -> [Notification] {
        let (type, word) =
            switch status {
            case .open: ("created", "needs_response")
            case .closed: ("closed", "warning_closed")
            case .won: ("closed", "won")
            case .lost: ("closed", "lost")
            }
        return [type, "funds_withdrawn"].flatMap { type in
            event(
                "charge.dispute.\(type)", "\(number)\(type)",
                [
                    ("id", .text("du_\(id)")), ("payment_intent", .text("pi_\(payment)")),
                    ("amount", .number(amount)), ("status", .text(word)),
                ])
        }
    }

    private func event(
        _ type: String, _ number: String, _ object: [(String, Body)]
    ) -> [Notification] {
        reading.read(
            .object([
                ("id", .text("evt_\(reference)_\(number)")), ("object", .text("event")),
                ("type", .text(type)), ("created", .number(1_790_000_000)),
                ("livemode", .bool(true)),
                ("data", .object([("object", .object(object + [("currency", .text("eur"))]))])),
            ]))
    }
}
