import Dispatch
import Store
import Synchronization

@testable import JournalStore

/// The answers to queries that were asked without waiting.
final class Views: Sendable {
    private let views = Mutex<[OrderView?]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let executor = InlineExecutor()

    var count: Int { views.withLock { $0.count } }

    var last: OrderView? { views.withLock { $0.last } ?? nil }

    /// Asks, and returns when the query is in the queue.
    func look(at reference: String, in store: JournalStore) {
        Task(executorPreference: executor) {
            let view = await store.order(endpoint: "antom", reference: reference)
            self.views.withLock { $0.append(view) }
            self.arrived.signal()
        }
    }

    /// Waits for one answer.
    func wait() { arrived.waitForAMinute() }
}
