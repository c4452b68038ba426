import Journal
import Store

/// One thing for the committer to do.
enum CommitterTask: Sendable {
    /// Make a notification durable and say what became of it.
    case record(QueuedSubmission, UnsafeContinuation<Receipt, Never>)
    /// Make durable what the merchant expects of an order. Rare and large, hence boxed, so
    /// that the others stay small.
    indirect case register(Registration, UnsafeContinuation<Receipt, Never>)
    /// Look at the durable state, between batches.
    case query(@Sendable (borrowing StoreTables) -> Void)
    /// The snapshot that was being written is done, or has failed for this reason.
    case snapshotEnded(JournalError?)
    /// Write the last snapshot when asked to, and end.
    case close(UnsafeContinuation<Void, Never>)
}
