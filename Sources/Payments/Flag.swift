/// A noteworthy fact about a notification or an order, besides its status.
///
/// The raw value is the word in records. Flags that the order rules derive are never stored. The
/// others come with a notification and are kept; `FlagSet` defines their bits on disk.
public enum Flag: String, Sendable, CaseIterable, Codable {
    /// Reported both as succeeded and as failed: an attempt paid or authorised, and also failed,
    /// canceled or expired; a capture, refund or reversal that also failed; a dispute both won and
    /// lost. Derived.
    case contradicted
    /// Two attempts of one order are paid. Derived.
    case paidTwice = "paid_twice"
    /// The same event came with different content, or one payment has two references: the order is
    /// in `review`.
    case conflict
    /// The authorised or captured amount differs from the one that the merchant registered: the
    /// order is in `review`. Derived.
    case amountUnexpected = "amount_unexpected"
    /// The provider used an unknown status, which is kept verbatim and never read as paid.
    case unknownStatus = "unknown_status"
    /// The provider sent an unknown kind of notification.
    case unknownKind = "unknown_kind"
    /// Authentic but unreadable: kept raw. If it names an order and reports an amount, the order is
    /// in `review`.
    case notUnderstood = "not_understood"
    /// The event happened in the provider's test mode.
    case testMode = "test_mode"
    /// More was refunded than was paid: the order is in `review`. Derived.
    case overRefunded = "over_refunded"
    /// One payment was reported in two currencies: the order is in `review`. Derived.
    case currencyMismatch = "currency_mismatch"
    /// A negative amount was reported and ignored, or a sum does not fit in 64 bits: the order is
    /// in `review`.
    case invalidAmount = "invalid_amount"
    /// One status was reported with different amounts; the least counts. If the status says that
    /// money was captured or returned, the order is in `review`. Derived.
    case amountsDiffer = "amounts_differ"
    /// Something was paid or refunded without an amount. Derived.
    case amountUnknown = "amount_unknown"
    /// No notification has named the merchant's reference yet. Derived.
    case unjoined
    /// A notification reports a refund or another sum that its signature does not cover. It is
    /// ignored, and the order is in `review`.
    case unsignedClaim = "unsigned_claim"
    /// A chargeback came unsigned, from a network that the endpoint lists: the order is in `review`
    /// until the provider reports a dispute in an authenticated message.
    case unverifiedChargeback = "unverified_chargeback"
    /// The provider's refund reports can be read in several ways that give different sums: the
    /// order is in `review` and lists the candidates. Derived.
    case refundAmbiguous = "refund_ambiguous"
    /// Something was reversed, and it is unclear whether money was returned: the order is in
    /// `review`. Derived.
    case reversalAmbiguous = "reversal_ambiguous"
    /// Captures do not name their payment, and the captured sum depends on it: the order is in
    /// `review` and its sum is unknown. Derived.
    case captureAmbiguous = "capture_ambiguous"
    /// A capture failed and none succeeded: nothing was captured. Derived.
    case captureFailed = "capture_failed"
    /// Less was captured than was authorised. Derived.
    case partiallyCaptured = "partially_captured"
    /// More was captured than the known authorisations allow. Derived.
    case overCaptured = "over_captured"
    /// The provider reports success and asks for a manual review.
    case providerReview = "provider_review"
    /// A notification reports a success that its signature does not prove, at an endpoint whose
    /// provider is asked about it: the order stays `pending` or `authorized` until an answer
    /// confirms the success.
    case unconfirmed
    /// More facts were reported than an order holds: the order is in `review`.
    case tooManyEvents = "too_many_events"
    /// An order with another reference has a payment with the same id, which the provider documents
    /// as unique: both orders are in `review`.
    case sharedID = "shared_id"
    /// A person has resolved the `review` that the other flags caused. Derived.
    case resolved
    /// Something was reported after a person resolved the order: it is in `review` again. Derived.
    case reopened
}

extension FlagSet {
    /// The flags of notifications that put an order into `review`.
    static let reviewing = FlagSet([
        .conflict, .invalidAmount, .unsignedClaim, .unverifiedChargeback, .notUnderstood,
        .tooManyEvents, .sharedID,
    ])
}
