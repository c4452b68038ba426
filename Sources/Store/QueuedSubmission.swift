/// A submission on its way through the queue: an object, so that a pointer is passed on, and not
/// the submission's thirty words with a count to keep for each text.
final class QueuedSubmission: Sendable {
    let submission: Submission

    init(_ submission: consuming Submission) { self.submission = submission }
}
