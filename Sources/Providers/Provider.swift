import Payments

/// What ipnd knows of one payment system: how its notifications prove themselves, what they mean,
/// and which answer it understands.
///
/// The three functions are the three middle steps of the corridor. They are pure (a clock, where a
/// system signs a time, is handed in), so that a captured request can be judged again at any time.
package protocol Provider: Sendable {
    /// What the signature covers, and nothing else: ``interpret(_:)`` cannot read what was not
    /// signed.
    associatedtype Evidence: Sendable

    /// Proves that `delivery` came from the provider and was not changed on the way.
    ///
    /// - Throws: ``Refusal`` with the kind that decides between 400 and 401, and a reason code for
    ///   log and metric.
    func verify(_ delivery: Delivery) throws(Refusal) -> Verified<Evidence>

    /// Says what happened. Total: an authentic notification that cannot be understood becomes one
    /// without effect and with ``Flag/notUnderstood``, because a retry could not mend it.
    func interpret(_ evidence: Evidence) -> Notification

    /// The answer that this provider reads as `verdict`, byte for byte as its page asks (DESIGN
    /// §7).
    func answer(_ verdict: Verdict) -> Answer
}
