import Ledger
import Store

/// A submission on its way through the queue: an object, so that a pointer is passed on, and not
/// the submission's thirty words with a count to keep for each text.
final class QueuedSubmission: Sendable {
    let submission: Submission

    init(_ submission: consuming Submission) { self.submission = submission }

    /// Everything that the tables are asked about it. Asked of the object, for its notification is
    /// then not copied.
    func hashes(_ keys: inout KeyMaker, endpoint: UInt16) -> NotificationHashes {
        keys.hashes(of: submission.notification, endpoint)
    }
}
