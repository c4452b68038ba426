/// Why something was not stored. The sender gets 503 and tries again.
package enum StoreRefusal: String, Error, Sendable, CaseIterable {
    /// The disk has no room for the next segment.
    case noSpace = "no_space"
    /// The queue is full: more arrives than the disk takes.
    case overloaded
    /// The request is longer than a record may be.
    case recordTooLong = "record_too_long"
    /// Writing to the journal failed, and what the disk holds is unknown.
    case failed = "journal_failed"
    /// The store is being closed.
    case shuttingDown = "shutting_down"

    /// The reason code in logs, metrics and answers.
    package var reason: String { rawValue }
}
