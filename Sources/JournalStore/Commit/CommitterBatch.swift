import Payments
import Records
import Store

/// Everything about the frame that is being built but its bytes.
struct CommitterBatch {
    /// The tasks that wait for the frame, and their receipts.
    var waiting: [(UnsafeContinuation<Receipt, Never>, Receipt)] = []
    /// The same for requests that reported several events.
    var waitingForAll: [(UnsafeContinuation<[Receipt], Never>, [Receipt])] = []
    /// The order rows of the records, kept while a follower takes them.
    var rows = OrderRows()
    /// The head of the last record, among the frame's bytes.
    var lastHead = 0..<0
    /// The orders that the batch changes, noted while a reader watches an order.
    var changedOrders: [OrderName] = []
    private(set) var conflicts = 0
    private(set) var ignored = 0

    /// Removes everything but the tasks that wait.
    mutating func clear() {
        rows.removeAll()
        changedOrders.removeAll(keepingCapacity: true)
        conflicts = 0
        ignored = 0
    }

    /// Counts a record that is in the frame.
    mutating func count(_ outcome: RecordOutcome) {
        switch outcome {
        case .recorded: break
        case .conflict: conflicts += 1
        case .ignored: ignored += 1
        }
    }

    /// Adds the records of a request, which are in the frame.
    mutating func add(_ request: SharedRequest, keepsRows: Bool) {
        if let head = request.lastHead { lastHead = head }
        changedOrders += request.changedOrders
        for (content, submission) in request.recorded {
            count(content.outcome)
            guard keepsRows else { continue }
            rows.append(
                content.sequence,
                OrderRow(
                    content, endpoint: submission.endpoint, received: submission.received,
                    named: submission.notification.reference,
                    alias: submission.notification.alias))
        }
    }

    /// Answers the tasks that wait.
    mutating func answer() {
        for (continuation, receipt) in waiting { continuation.resume(returning: receipt) }
        for (continuation, receipts) in waitingForAll { continuation.resume(returning: receipts) }
        removeWaiting()
    }

    /// Refuses the tasks that wait.
    mutating func refuse(_ refusal: StoreRefusal) {
        let refused = Receipt(.refused(refusal))
        for (continuation, _) in waiting { continuation.resume(returning: refused) }
        for (continuation, receipts) in waitingForAll {
            continuation.resume(returning: receipts.map { _ in refused })
        }
        removeWaiting()
    }

    private mutating func removeWaiting() {
        waiting.removeAll(keepingCapacity: true)
        waitingForAll.removeAll(keepingCapacity: true)
    }
}
