import Bytes
import Payments

@testable import Providers

/// Razorpay: three messages about one payment, of which one has the order's receipt; refunds that
/// come twice and without a reference; the event's id in a header, or none.
package struct RazorpayTeller: Teller {
    package static let abilities: Abilities = [
        .disputes, .openDisputes, .failedRefunds, .secondPayments, .tries,
    ]
    package static let troubles: Abilities = []
    package let isUnclear = false

    private let reading = RecipeReading(
        "razorpay",
        [
            "references": .texts([
                "/payload/order/entity/receipt", "/payload/payment/entity/notes/r",
            ])
        ]
    )
    private let reference: String
    private let hasHeader: Bool
    private var refunded: [String: Int64] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        hasHeader = generator.once(in: 2)
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            let payment = payment(id, amount, hasNotes: true)
            switch status {
            case .paid:
                return event("payment.authorized", "\(number)a", [payment])
                    + event("payment.captured", "\(number)c", [payment])
                    + event(
                        "order.paid", "\(number)o",
                        [
                            self.payment(id, amount, hasNotes: false),
                            (
                                "order",
                                [
                                    ("id", .text("order_\(reference)")),
                                    ("receipt", .text(reference)),
                                ]
                            ),
                        ])
            case .pending: return event("payment.pending", "\(number)", [payment])
            default: return event("payment.failed", "\(number)", [payment])
            }
        case .refund(let id, let parent, let status, let amount):
            let (name, word) =
                switch status {
                case .succeeded: ("processed", "processed")
                case .pending: ("created", "pending")
                case .failed: ("failed", "failed")
                }
            // The total counts what is still under way.
            refunded[parent, default: 0] += amount
            return ["created", name].flatMap { name in
                event(
                    "refund.\(name)", "\(number)\(name)",
                    [
                        payment(parent, 1, hasNotes: false),
                        (
                            "refund",
                            [
                                ("id", .text("rfnd_\(id)")), ("payment_id", .text("pay_\(parent)")),
                                ("amount", .number(amount)), ("currency", .text("EUR")),
                                ("status", .text(word)),
                            ]
                        ),
                    ])
            }
        case .dispute(let id, let parent, let status, let amount):
            let word =
                switch status {
                case .open: "created"
                case .closed: "closed"
                case .won: "won"
                case .lost: "lost"
                }
            return event(
                "payment.dispute.\(word)", "\(number)",
                [
                    payment(parent, 1, hasNotes: false),
                    (
                        "dispute",
                        [
                            ("id", .text("disp_\(id)")), ("payment_id", .text("pay_\(parent)")),
                            ("amount", .number(amount)), ("currency", .text("EUR")),
                            ("amount_deducted", .number(status == .lost ? amount : 0)),
                        ]
                    ),
                ])
        case .capture, .void, .refundReversal, .disputeReversal, .raise, .cancel: return []
        }
    }

    private func payment(
        _ id: String, _ amount: Int64, hasNotes: Bool
    ) -> (String, [(String, Body)]) {
        (
            "payment",
            [
                ("id", .text("pay_\(id)")), ("order_id", .text("order_\(reference)")),
                ("amount", .number(amount)), ("currency", .text("EUR")),
                ("amount_refunded", .number(refunded[id] ?? 0)),
                ("notes", .object(hasNotes ? [("r", .text(reference))] : [])),
            ]
        )
    }

    private func event(
        _ name: String, _ number: String, _ entities: [(String, [(String, Body)])]
    ) -> [Notification] {
        let payload = entities.map { ($0.0, Body.object([("entity", .object($0.1))])) }
        return reading.read(
            .object([
                ("event", .text(name)), ("payload", .object(payload)),
                ("created_at", .number(1_790_000_000)),
            ]),
            headers: hasHeader
                ? [Header("x-razorpay-event-id", "E\(reference)\(number)")] : [])
    }
}
