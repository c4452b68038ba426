import JSON
import Payments

@testable import Providers

/// WeChat Pay: a payment is reported when it has succeeded, alone or among those of a combined
/// payment, and a refund by its own number, which some merchants take from one sequence with those
/// of orders. Retries cross.
package struct WeChatPayTeller: Teller {
    package static let abilities: Abilities = [.failedRefunds, .successesOnly]
    package static let troubles: Abilities = []
    package let isUnclear = false

    private let reference: String
    private let neighbour: String
    private let isCombined: Bool
    private let namesNeighbour: Bool
    private let repeats: Bool
    /// The fewer the buyer paid himself, by coupons.
    private let coupon: Int64

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        neighbour = life.neighbour
        isCombined = generator.once(in: 3)
        namesNeighbour = generator.once(in: 3)
        repeats = generator.once(in: 3)
        coupon = generator.once(in: 2) ? 1 : 0
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, .paid, let amount): return paid(id, amount)
        case .refund(let id, let parent, let status, let amount):
            let word =
                switch status {
                case .succeeded: "SUCCESS"
                case .pending: "ABNORMAL"
                case .failed: "CLOSED"
                }
            return told(
                "REFUND.\(word)",
                [
                    ("out_trade_no", .text(reference)), ("transaction_id", .text(parent)),
                    ("out_refund_no", .text(namesNeighbour ? neighbour : "R-\(id)")),
                    ("refund_id", .text(id)), ("refund_status", .text(word)),
                    (
                        "amount",
                        .object([
                            ("total", .number(amount)), ("refund", .number(amount)),
                            ("payer_refund", .number(max(amount - coupon, 0))),
                            ("currency", .text("EUR")),
                        ])
                    ),
                ])
        default: return []
        }
    }

    private func paid(_ id: String, _ amount: Int64) -> [Notification] {
        let (total, payer) =
            isCombined ? ("total_amount", "payer_amount") : ("total", "payer_total")
        let payment: [(String, Body)] = [
            ("out_trade_no", .text(reference)), ("transaction_id", .text(id)),
            ("trade_state", .text("SUCCESS")),
            (
                "amount",
                .object([
                    (total, .number(amount)), (payer, .number(max(amount - coupon, 0))),
                    ("currency", .text("EUR")),
                ])
            ),
        ]
        return told(
            "TRANSACTION.SUCCESS",
            isCombined
                ? [
                    ("combine_out_trade_no", .text("C-\(reference)")),
                    ("sub_orders", .list([.object(payment)])),
                ] : payment)
    }

    private func told(_ type: String, _ members: [(String, Body)]) -> [Notification] {
        (0..<(repeats ? 2 : 1)).flatMap { repetition in
            let envelope = Body.object([
                ("id", .text("E-\(repetition)")), ("event_type", .text(type)),
            ])
            let content = members + [("attach", .text("\(repetition)"))]
            return WeChatPayInterpretation.notifications(
                WeChatPayEvidence(
                    root: try? JSONDocument(parsing: envelope.bytes).root, body: envelope.bytes,
                    plaintext: Body.object(content).bytes))
        }
    }
}
