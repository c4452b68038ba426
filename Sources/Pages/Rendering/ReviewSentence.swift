import Payments

/// Why an order is in `review`, in one sentence; what to do says `FlagAdvice`.
enum ReviewSentence {
    /// The first of the order's flags that explains it.
    static func of(_ flags: [String]) -> String {
        for (flag, sentence) in sentences where flags.contains(flag.rawValue) { return sentence }
        return "What was reported does not add up, and no other status is safe."
    }

    private static let sentences: [(Flag, String)] = [
        (
            .tooManyEvents,
            "More was reported about it than an order holds, so its sums are unknown."
        ),
        (.amountUnexpected, "The amount is not the expected one."),
        (.conflict, "Two reports contradict each other."),
        (.unverifiedChargeback, "A chargeback was told without a signature."),
        (.unsignedClaim, "A notification carries a sum that its signature does not cover."),
        (.notUnderstood, "A genuine notification claims something that ipnd does not understand."),
        (.invalidAmount, "An amount below zero was reported, or a sum too large for 64 bits."),
        (.currencyMismatch, "One payment was reported in two currencies."),
        (.overRefunded, "More was refunded than was paid."),
        (.amountsDiffer, "One thing was reported with different amounts."),
        (.refundAmbiguous, "The reports about refunds allow several sums."),
        (.reversalAmbiguous, "Something was reversed, and whether money went back is not said."),
        (.captureAmbiguous, "Captures do not say of which payment they are."),
    ]
}
