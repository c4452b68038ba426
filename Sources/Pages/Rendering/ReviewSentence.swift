import Payments

/// The reason why an order is in `review`, in one sentence. `FlagAdvice` has the remedy.
enum ReviewSentence {
    /// The sentence of the first flag that explains the review.
    static func of(_ flags: [String]) -> String {
        for (flag, sentence) in sentences where flags.contains(flag.rawValue) { return sentence }
        return "The reports are inconsistent, so no other status is safe."
    }

    private static let sentences: [(Flag, String)] = [
        (
            .tooManyEvents,
            "More events were reported than an order holds, so its sums are unknown."
        ),
        (.amountUnexpected, "The amount is not the expected one."),
        (.conflict, "Two reports contradict each other."),
        (.unverifiedChargeback, "A chargeback was reported without a signature."),
        (.unsignedClaim, "A notification carries a sum that its signature does not cover."),
        (.notUnderstood, "A genuine notification claims something that ipnd does not understand."),
        (.invalidAmount, "A negative amount was reported, or a sum exceeds 64 bits."),
        (.currencyMismatch, "One payment was reported in two currencies."),
        (.overRefunded, "More was refunded than was paid."),
        (.amountsDiffer, "One operation was reported with different amounts."),
        (.refundAmbiguous, "The reports about refunds allow several sums."),
        (.reversalAmbiguous, "Something was reversed. Whether money was returned is not known."),
        (.captureAmbiguous, "The captures do not say to which payment they belong."),
    ]
}
