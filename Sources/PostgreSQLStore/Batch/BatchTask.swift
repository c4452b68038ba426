import Ledger
import Payments
import Platform
import Records
import Store

/// A task that waits to be made durable, with the callback that receives its result.
final class BatchTask: Sendable {
    enum Content: Sendable {
        case submission(QueuedSubmission)
        case registration(Registration)
        case act(Act)
        /// Nothing to record: a reader needs every visible row confirmed.
        case confirmation
    }

    let content: Content
    /// Delivers the result; called once.
    let answer: @Sendable (Receipt) -> Void
    /// After this time the answer is 503, whatever the result of the batch.
    let deadline: MonotonicTime
    let byteCount: Int

    init(
        _ content: Content, byteCount: Int, deadline: MonotonicTime,
        answer: @escaping @Sendable (Receipt) -> Void
    ) {
        self.content = content
        self.byteCount = byteCount
        self.deadline = deadline
        self.answer = answer
    }

    /// The endpoint's name; nil for a confirmation.
    var endpoint: String? {
        switch content {
        case .submission(let queued): queued.submission.endpoint
        case .registration(let registration): registration.endpoint
        case .act(let act): act.endpoint
        case .confirmation: nil
        }
    }
}
