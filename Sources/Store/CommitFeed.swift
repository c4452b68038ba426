import Synchronization

/// Tells readers what has become durable. The store publishes each batch, and from time to time it
/// wakes one task, which notifies the readers: their number costs the store nothing.
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
    private let news: AsyncStream<Void>.Continuation

    package init() {
        let (stream, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        news = continuation
        Task.detached { [weak self] in
            for await _ in stream { self?.notify() }
        }
    }

    deinit { news.finish() }

    // MARK: The committer's side

    /// Whether a reader waits for an order. One that begins to wait after this was read finds the
    /// batch's changes in the store, because queries are answered after the batch.
    package var watchesOrders: Bool { watchedOrders.load(ordering: .acquiring) > 0 }

    /// Everything up to `sequence` is durable and can be queried. Returns whether a reader has to
    /// be notified.
    package func publish(_ sequence: UInt64, _ changed: [OrderName]) -> Bool {
        state.withLock { state in
            state.durableSequence = max(state.durableSequence, sequence)
            guard !state.records.isEmpty || !changed.isEmpty else { return false }
            state.changed.append(contentsOf: changed)
            return true
        }
    }

    /// Notifies the readers of what was published since the last time.
    package func announce() { news.yield() }

    /// Nothing more will come: ends every watch. Readers of records are notified once more before.
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

    /// The last record that is durable.
    package var durableSequence: UInt64 { state.withLock { $0.durableSequence } }

    /// Whether the store is closed: what is waited for will not come.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Says from now on that there are more records. Look after this was called, then wait.
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

    /// Says from now on that an order has changed. Look after this was called, then wait.
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

/// One reader's place at the feed. It ends when it is released.
package final class Watch: Sendable {
    /// An element says "look again"; several that come while the reader is busy are one. It
    /// finishes when `end` is called or the store is closed.
    package let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(whenEnded: @escaping @Sendable () -> Void) {
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { _ in whenEnded() }
    }

    deinit { continuation.finish() }

    /// Ends the wait: the deadline has passed, or the reader is gone.
    package func end() { continuation.finish() }

    var notifier: AsyncStream<Void>.Continuation { continuation }
}
