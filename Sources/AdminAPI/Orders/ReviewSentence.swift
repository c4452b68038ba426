import Payments

/// The reason why an order is in `review`, in one sentence with its numbers. `FlagAdvice` has the
/// remedy.
package enum ReviewSentence {
    /// The sentence of the first flag that explains the review.
    package static func of(_ order: OrderAnswer) -> String {
        for (flag, sentence) in sentences where order.flags.contains(flag.rawValue) {
            return sentence(order)
        }
        return "The reports are inconsistent, so no other status is safe."
    }

    private typealias Sentence = @Sendable (OrderAnswer) -> String

    private static let sentences: [(Flag, Sentence)] = [
        (
            .tooManyEvents,
            { _ in "More events were reported than an order holds, so its sums are unknown." }
        ),
        (.amountUnexpected, unexpected),
        (.sharedID, shared),
        (.conflict, { claims($0, "The same event was reported twice, with other content") }),
        (.unverifiedChargeback, { _ in "A chargeback was reported without a signature." }),
        (
            .unsignedClaim,
            { _ in "A notification carries a sum that its signature does not cover." }
        ),
        (
            .notUnderstood,
            { _ in "A genuine notification claims something that ipnd does not understand." }
        ),
        (.invalidAmount, { _ in "A negative amount was reported, or a sum exceeds 64 bits." }),
        (.currencyMismatch, { _ in "One payment was reported in two currencies." }),
        (.overRefunded, overRefunded),
        (.amountsDiffer, { claims($0, "One operation was reported with different amounts") }),
        (
            .refundAmbiguous,
            { order in
                "The reports about refunds allow several sums"
                    + (order.candidates.isEmpty ? "." : ": \(list(order.candidates, "or")).")
            }
        ),
        (
            .reversalAmbiguous,
            { _ in "Something was reversed. Whether money was returned is not known." }
        ),
        (
            .captureAmbiguous,
            { _ in "The captures do not say to which payment they belong." }
        ),
    ]

    /// “You expect 99.00 MYR, 9.90 MYR was paid.”
    private static func unexpected(_ order: OrderAnswer) -> String {
        guard let expected = order.expected?.amount else {
            return "The amount is not the expected one."
        }
        let isPaid = (order.captured?.minor ?? 0) != 0
        let amount = isPaid ? order.captured : order.authorized ?? order.amount
        guard let amount else { return "You expect \(expected), another amount was reported." }
        guard amount == expected else {
            return "You expect \(expected), \(amount) was \(isPaid ? "paid" : "authorised")."
        }
        return claims(order, "You expect \(expected), and another amount was reported too")
    }

    private static func shared(_ order: OrderAnswer) -> String {
        guard !order.sharedWith.isEmpty else {
            return "Another order claims a payment with the same id."
        }
        let names = order.sharedWith.map { "“\($0)”" }
        return "\(names.count == 1 ? "The order" : "The orders") \(list(names, "and")) "
            + "\(names.count == 1 ? "claims" : "claim") a payment with the same id."
    }

    private static func overRefunded(_ order: OrderAnswer) -> String {
        guard let refunded = order.refunded, let captured = order.captured else {
            return "More was refunded than was paid."
        }
        return "\(refunded) was refunded, and \(captured) was paid."
    }

    private static func claims(_ order: OrderAnswer, _ sentence: String) -> String {
        order.claims.isEmpty ? "\(sentence)." : "\(sentence): \(list(order.claims, "and"))."
    }

    /// “a, b and c”
    private static func list<Element>(_ elements: [Element], _ word: String) -> String {
        let texts = elements.map { "\($0)" }
        guard texts.count > 1, let last = texts.last else { return texts.first ?? "" }
        return "\(texts.dropLast().joined(separator: ", ")) \(word) \(last)"
    }
}
