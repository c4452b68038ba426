import Platform
import Records

/// Applies events on a thread of its own, so that reading the journal and filling the tables share
/// the work of a start between two processors.
final class ReplayThread {
    private let events = BoundedChannel<[ReplayedEvent]>(capacity: 4)
    private let result = BoundedChannel<StoreTables>(capacity: 1)
    private var batch: [ReplayedEvent] = []

    private static let batchMax = 512

    /// - Parameter tables: what is known before the first event.
    init(_ tables: consuming StoreTables, factsMax: Int) {
        let events = events
        let result = result
        var applier = ReplayApplier(tables, factsMax: factsMax)
        PlatformThread.detached(name: "ipnd-replay") {
            while let batch = events.receive() {
                applier.apply(batch)
            }
            result.send(applier.finish())
        }
    }

    /// The thread ends even when nobody asks for its result.
    deinit { events.close() }

    func apply(_ event: ReplayedEvent) {
        batch.append(event)
        if batch.count == Self.batchMax { flush() }
    }

    /// The tables with all events in them; nil when they were taken before.
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
