/// Something a human or a program should know about a notification or an order, beside its status.
///
/// The raw value is the word in records. Flags that the order rules derive are never stored; the
/// others come with a notification and stay (`FlagSet` holds their place on disk).
package enum Flag: String, Sendable, CaseIterable {
    /// Reported as succeeded and as come to nothing: an attempt paid or authorised and failed,
    /// canceled or expired; a capture, a refund or a reversal that was also reported failed; a
    /// dispute both won and lost. Derived.
    case contradicted
    /// Two attempts of one order are paid. Derived.
    case paidTwice = "paid_twice"
    /// The same event came with other content, one payment came under two references, or an amount
    /// is not the one that the merchant registered: the order is in `review`.
    case conflict
    /// What was set aside or taken is not what the merchant registered: with `conflict`, which it
    /// is the reason of. Derived.
    case amountUnexpected = "amount_unexpected"
    /// The provider used a status that we do not know; it is kept verbatim and never read as paid.
    case unknownStatus = "unknown_status"
    /// The provider sent a kind of notification that we do not know.
    case unknownKind = "unknown_kind"
    /// Authentic, but not understandable: kept raw. Where it names an order and claims something
    /// about money, the order is in `review`.
    case notUnderstood = "not_understood"
    /// The provider says that this happened in its test mode.
    case testMode = "test_mode"
    /// More was refunded than was paid: the order is in `review`. Derived.
    case overRefunded = "over_refunded"
    /// One payment is told in two currencies: the order is in `review`. Derived.
    case currencyMismatch = "currency_mismatch"
    /// An amount below zero was reported and set aside, or a sum is too large for 64 bits: the
    /// order is in `review`.
    case invalidAmount = "invalid_amount"
    /// One status of one thing was reported with different amounts; the least counts. Where it says
    /// that money was taken or went back, the order is in `review`. Derived.
    case amountsDiffer = "amounts_differ"
    /// Something was paid or refunded, and nobody said how much. Derived.
    case amountUnknown = "amount_unknown"
    /// No notification has named the merchant's reference yet. Derived.
    case unjoined
    /// A notification carries words of a refund or another sum that its signature does not cover.
    /// They are not believed, and nothing of it counts: the order is in `review`.
    case unsignedClaim = "unsigned_claim"
    /// A chargeback was told without any signature, from a network that the endpoint names: the
    /// order is in `review`, until the provider tells of a dispute in words that prove themselves.
    case unverifiedChargeback = "unverified_chargeback"
    /// The provider's words about refunds allow several readings that give different sums: the
    /// order is in `review` and lists the candidates. Derived.
    case refundAmbiguous = "refund_ambiguous"
    /// Something was reversed, and whether money went back is not said: the order is in `review`.
    /// Derived.
    case reversalAmbiguous = "reversal_ambiguous"
    /// Captures do not say of which payment they are, and how much was taken depends on it: the
    /// order is in `review`, and the sum is not known. Derived.
    case captureAmbiguous = "capture_ambiguous"
    /// A capture failed and none succeeded: nothing was taken. Derived.
    case captureFailed = "capture_failed"
    /// Less was captured than was authorised. Derived.
    case partiallyCaptured = "partially_captured"
    /// More was captured than the known authorisations allow. Derived.
    case overCaptured = "over_captured"
    /// The provider counts it as successful and asks for a manual review.
    case providerReview = "provider_review"
    /// More was reported about the order than it holds: the order is in `review`.
    case tooManyEvents = "too_many_events"
    /// An order of another reference claims a payment by the same id, which the provider says is
    /// unique: both orders are in `review`.
    case sharedID = "shared_id"
    /// A person has resolved the `review` that the other flags tell of. Derived.
    case resolved
    /// A person had resolved it, and something came since: the order is in `review` again. Derived.
    case reopened
}

extension FlagSet {
    /// The flags of notifications that put an order into `review`.
    static let reviewing = FlagSet([
        .conflict, .invalidAmount, .unsignedClaim, .unverifiedChargeback, .notUnderstood,
        .tooManyEvents, .sharedID,
    ])
}
