import Ledger
import Payments
import Platform
import Records
import Store

/// Something that waits to be made durable, and who waits for it.
final class BatchTask: Sendable {
    enum Content: Sendable {
        case submission(QueuedSubmission)
        case registration(Registration)
        case act(Act)
        /// Nothing to record: whoever reads wants everything that is visible confirmed.
        case confirmation
    }

    let content: Content
    /// Tells whoever waits; called once.
    let answer: @Sendable (Receipt) -> Void
    /// After it the answer is 503, whatever becomes of the batch.
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

    /// The endpoint's name; nil of a confirmation.
    var endpoint: String? {
        switch content {
        case .submission(let queued): queued.submission.endpoint
        case .registration(let registration): registration.endpoint
        case .act(let act): act.endpoint
        case .confirmation: nil
        }
    }
}
