/// Something a human or a program should know about a notification or an order, beside its status.
///
/// The raw value is the word in records. Flags that the order rules derive are never stored; the
/// others come with a notification and stay (`FlagSet` holds their place on disk).
package enum Flag: String, Sendable, CaseIterable {
    /// Reported as succeeded and as failed: a paid attempt, a capture or a refund that was also
    /// reported failed, a dispute both won and lost. Derived.
    case contradicted
    /// Two attempts of one order are paid. Derived.
    case paidTwice = "paid_twice"
    /// The same event came with other content, or an amount is not the one that the merchant
    /// registered.
    case conflict
    /// The provider used a status that we do not know; it is kept verbatim and never read as paid.
    case unknownStatus = "unknown_status"
    /// The provider sent a kind of notification that we do not know.
    case unknownKind = "unknown_kind"
    /// Authentic, but not understandable: kept raw.
    case notUnderstood = "not_understood"
    /// The provider says that this happened in its test mode.
    case testMode = "test_mode"
    /// More was refunded than was paid: the order is in `review`. Derived.
    case overRefunded = "over_refunded"
    /// One payment is told in two currencies: the order is in `review`. Derived.
    case currencyMismatch = "currency_mismatch"
    /// An amount below zero was reported and set aside: the order is in `review`.
    case invalidAmount = "invalid_amount"
    /// One status of one thing was reported with different amounts; the larger one counts. Derived.
    case amountsDiffer = "amounts_differ"
    /// Something was paid or refunded, and nobody said how much. Derived.
    case amountUnknown = "amount_unknown"
    /// No notification has named the merchant's reference yet. Derived.
    case unjoined
}
