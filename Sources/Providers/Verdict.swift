/// What became of a delivery, as far as its sender is told.
package enum Verdict: Sendable, Equatable {
    /// Stored now or before: recorded, duplicate, conflict or ignored. One success for all of them,
    /// because the provider asks only whether it has to send again.
    case accepted
    case refused(Refusal)
    /// Not stored, but sending again may help: disk full, shutting down, overloaded.
    case unavailable
}
