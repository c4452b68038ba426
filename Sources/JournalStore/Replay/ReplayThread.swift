import Payments
import Platform
import Records

/// Applies events on its own thread, so that a start reads the journal and fills the tables on two
/// processors.
final class ReplayThread {
    private let events = BoundedChannel<[RecordedEvent?]>(capacity: 4)
    private let result = BoundedChannel<StoreTables>(capacity: 1)
    /// Each is there until it is taken.
    private var batch: [RecordedEvent?] = []

    private static let batchMax = 512

    /// - Parameter tables: The tables before the first event.
    init(_ tables: consuming StoreTables, factsMax: Int) {
        let events = events
        let result = result
        var applier = ReplayApplier(tables, factsMax: factsMax)
        PlatformThread.detached(name: "ipnd-replay") {
            while var batch = events.receive() {
                applier.apply(&batch)
            }
            result.send(applier.finish())
        }
    }

    /// The thread ends even when `finish` is not called.
    deinit { events.close() }

    func apply(_ event: consuming RecordedEvent) {
        batch.append(.some(consume event))
        if batch.count == Self.batchMax { flush() }
    }

    /// Returns the tables with all events; nil when they were returned before.
    func finish() -> StoreTables? {
        flush()
        events.close()
        return result.receive()
    }

    private func flush() {
        guard !batch.isEmpty else { return }
        events.send(batch)
        batch = []
        batch.reserveCapacity(Self.batchMax)
    }
}

/// Applies recorded events to the tables, by the rules that made the records.
struct ReplayApplier: Sendable {
    /// Its batch is always empty: every decision is applied at once.
    private var ledger: JournalLedger

    init(_ tables: consuming StoreTables, factsMax: Int) {
        ledger = JournalLedger(tables, factsMax: factsMax)
    }

    /// Applies the events and takes them out of the array.
    mutating func apply(_ events: inout [RecordedEvent?]) {
        for start in stride(from: 0, to: events.count, by: JournalLedger.submissionsAheadMax) {
            let end = min(start + JournalLedger.submissionsAheadMax, events.count)
            ledger.apply(&events, start..<end)
        }
    }

    /// Returns the tables; the applier is empty afterwards. If it kept a copy, the first write to
    /// each shard would copy the shard.
    mutating func finish() -> StoreTables {
        var finished = StoreTables(function: ledger.tables.function)
        swap(&finished, &ledger.tables)
        return finished
    }
}

/// Passes values from one thread to another, in order. The sender waits for room, the receiver for
/// values.
final class BoundedChannel<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isClosed = false
    }

    private let capacity: Int
    private let state = Monitor(State())

    init(capacity: Int) { self.capacity = capacity }

    /// Waits for room and adds a value. Values after `close` are dropped.
    func send(_ element: Element) {
        state.wait { [capacity] state in
            if state.isClosed { return .go(()) }
            if state.elements.count >= capacity { return .wait(until: .never) }
            state.elements.append(element)
            return .go(())
        }
        state.wakeAll()
    }

    /// Waits for the next value. Returns nil when the channel is closed and empty.
    func receive() -> Element? {
        let element: Element? = state.wait { state in
            if !state.elements.isEmpty { return .go(state.elements.removeFirst()) }
            return state.isClosed ? .go(nil) : .wait(until: .never)
        }
        state.wakeAll()
        return element
    }

    /// Ends the channel: the values in it can still be received.
    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
    }
}
