import Dispatch
import Store
import Synchronization
import Testing

@testable import JournalStore

/// The receipts of submissions that were made without waiting, in the order in which they came.
final class Answers: Sendable {
    private let receipts = Mutex<[Receipt]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let executor = InlineExecutor()

    var all: [Receipt] { receipts.withLock { $0 } }

    var count: Int { receipts.withLock { $0.count } }

    /// Submits, and returns when the submission is in the queue (or has been answered).
    func submit(_ submission: Submission, to store: JournalStore) {
        Task(executorPreference: executor) {
            let receipt = await store.record(submission)
            self.receipts.withLock { $0.append(receipt) }
            self.arrived.signal()
        }
    }

    /// Submits the events of one request: a receipt for each.
    func submit(_ events: [Submission], to store: JournalStore) {
        Task(executorPreference: executor) {
            let receipts = await store.record(events)
            self.receipts.withLock { $0 += receipts }
            for _ in receipts { self.arrived.signal() }
        }
    }

    /// Waits until this many receipts have come since the last wait.
    func wait(for count: Int) {
        for _ in 0..<count { arrived.waitForAMinute() }
    }
}

extension DispatchSemaphore {
    /// Waits for a signal; one that does not come is a failure and not the end of the run.
    func waitForAMinute() {
        if wait(timeout: .now() + 60) == .timedOut { Issue.record("nothing came") }
    }
}
