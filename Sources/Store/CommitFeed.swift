import Ledger
import Platform
import Synchronization

/// Notifies readers of durable records. The store publishes each batch, and wakes one task from
/// time to time, which notifies the readers: their number costs the store nothing.
package final class CommitFeed: Sendable {
    private typealias Notifier = AsyncStream<Void>.Continuation

    private struct State: ~Copyable {
        var durableSequence: UInt64 = 0
        var changed: [OrderName] = []
        var isClosed = false
        var next = 0
        var records: [Int: Notifier] = [:]
        var orders: [OrderName: [Int: Notifier]] = [:]
    }

    private let state = Mutex(State())
    private let watchedOrders = Atomic<Int>(0)
    private let changes: AsyncStream<Void>.Continuation

    package init() {
        let (stream, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        changes = continuation
        Task.detached(executorPreference: WorkerPool.shared) { [weak self] in
            for await _ in stream { self?.notify() }
        }
    }

    deinit { changes.finish() }

    // MARK: The committer's side

    /// Whether a reader waits for an order. A reader that begins to wait after this check finds the
    /// batch's changes in the store, because queries are answered after the batch.
    package var watchesOrders: Bool { watchedOrders.load(ordering: .acquiring) > 0 }

    /// Notes that every record up to `sequence` is durable and can be queried. Returns whether a
    /// reader has to be notified.
    package func publish(_ sequence: UInt64, _ changed: [OrderName]) -> Bool {
        state.withLock { state in
            state.durableSequence = max(state.durableSequence, sequence)
            guard !state.records.isEmpty || !changed.isEmpty else { return false }
            state.changed.append(contentsOf: changed)
            return true
        }
    }

    /// Notifies the readers of the records published since the last call.
    package func announce() { changes.yield() }

    /// Ends every watch. Readers of records are notified once more before.
    package func close() {
        let (records, orders) = state.withLock { state in
            state.isClosed = true
            return (Array(state.records.values), state.orders.values.flatMap(\.values))
        }
        for notifier in records { notifier.yield() }
        for notifier in records + orders { notifier.finish() }
    }

    private func notify() {
        let listeners = state.withLock { state in
            var listeners = Array(state.records.values)
            for name in state.changed {
                if let watchers = state.orders[name] { listeners += watchers.values }
            }
            state.changed.removeAll(keepingCapacity: true)
            return listeners
        }
        for listener in listeners { listener.yield() }
    }

    // MARK: The readers' side

    /// The last durable record.
    package var durableSequence: UInt64 { state.withLock { $0.durableSequence } }

    /// Whether the store is closed, so that nothing more will be published.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Notifies of further records from now on. Read after this call, then wait.
    package func watchRecords() -> Watch {
        let number = takeNumber()
        let watch = Watch { [weak self] in
            self?.state.withLock { _ = $0.records.removeValue(forKey: number) }
        }
        let isClosed = state.withLock { state in
            state.records[number] = watch.notifier
            return state.isClosed
        }
        if isClosed { watch.end() }
        return watch
    }

    /// Notifies of changes of an order from now on. Read after this call, then wait.
    package func watchOrder(_ name: OrderName) -> Watch {
        let number = takeNumber()
        watchedOrders.wrappingAdd(1, ordering: .acquiringAndReleasing)
        let watch = Watch { [weak self] in self?.forget(name, number) }
        let isClosed = state.withLock { state in
            state.orders[name, default: [:]][number] = watch.notifier
            return state.isClosed
        }
        if isClosed { watch.end() }
        return watch
    }

    private func takeNumber() -> Int {
        state.withLock { state in
            state.next += 1
            return state.next
        }
    }

    private func forget(_ name: OrderName, _ number: Int) {
        watchedOrders.wrappingSubtract(1, ordering: .acquiringAndReleasing)
        state.withLock { state in
            state.orders[name]?.removeValue(forKey: number)
            if state.orders[name]?.isEmpty == true { state.orders[name] = nil }
        }
    }
}

/// One reader's subscription to the feed. It ends when it is released.
package final class Watch: Sendable {
    /// Yields an element when the reader should read again; several are merged while the reader is
    /// busy. Finishes when `end` is called or the store is closed.
    package let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(whenEnded: @escaping @Sendable () -> Void) {
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { _ in whenEnded() }
    }

    deinit { continuation.finish() }

    /// Ends the wait after its deadline, or if the reader is gone.
    package func end() { continuation.finish() }

    var notifier: AsyncStream<Void>.Continuation { continuation }
}

extension EventChange {
    /// The names under which a reader may wait for an order that changes: its references and
    /// aliases, the event's transaction, and the names of orders that are part of it from now on.
    package func names(in endpoint: String) -> [OrderName] {
        let ids =
            [content.order?.transaction].compactMap(\.self) + (content.order?.absorbedIDs ?? [])
        let references = references + (content.order?.absorbed ?? [])
        return references.map { OrderName(endpoint: endpoint, reference: $0) }
            + ids.map { OrderName(endpoint: endpoint, unjoined: $0) }
    }
}
