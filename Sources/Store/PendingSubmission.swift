/// A submission and who waits for it. An object, so that on its way through the queue a pointer is
/// passed on, and not the submission's thirty words with a count to keep for each text.
final class PendingSubmission: Sendable {
    let submission: Submission
    let continuation: UnsafeContinuation<Receipt, Never>

    init(_ submission: Submission, _ continuation: UnsafeContinuation<Receipt, Never>) {
        self.submission = submission
        self.continuation = continuation
    }
}
