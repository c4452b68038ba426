import Ledger
import Payments
import Platform
import Records
import Store

/// A task that waits to be made durable, with the callback that receives its result.
final class BatchTask: Sendable {
    enum Content: Sendable {
        case submission(QueuedSubmission)
        /// The events of one request: all of them, or none.
        case request([QueuedSubmission])
        case registration(Registration)
        case act(Act)
        /// Nothing to record: a reader needs every visible row confirmed.
        case confirmation
    }

    let content: Content
    /// Delivers the receipts of its events; called once.
    let answer: @Sendable (ArraySlice<Receipt>) -> Void
    /// After this time the answer is 503, whatever the result of the batch.
    let deadline: MonotonicTime
    let byteCount: Int

    init(
        _ content: Content, byteCount: Int, deadline: MonotonicTime,
        answer: @escaping @Sendable (ArraySlice<Receipt>) -> Void
    ) {
        self.content = content
        self.byteCount = byteCount
        self.deadline = deadline
        self.answer = answer
    }

    /// Number of its receipts.
    var count: Int { if case .request(let events) = content { events.count } else { 1 } }

    func refuse(_ refusal: StoreRefusal) {
        answer([Receipt](repeating: Receipt(.refused(refusal)), count: count)[...])
    }

    /// The endpoint's name; nil for a confirmation.
    var endpoint: String? {
        switch content {
        case .submission(let queued): queued.submission.endpoint
        case .request(let events): events[0].submission.endpoint
        case .registration(let registration): registration.endpoint
        case .act(let act): act.endpoint
        case .confirmation: nil
        }
    }
}
