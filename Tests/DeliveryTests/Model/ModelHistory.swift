import TestSupport

@testable import Delivery

/// A feed of events about a few orders. Some orders start under a provider's id and become part of
/// another one later.
struct ModelHistory: Sendable {
    struct Event: Sendable {
        let sequence: UInt64
        let labels: [OrderLabel]
        /// Whether the filter passes it.
        let isWanted: Bool
    }

    let events: [Event]
    let wanted: Set<UInt64>

    /// - Parameter orders: Number of orders; few, so that several events concern the same one.
    init(events count: Int, orders: Int, using generator: inout SeededGenerator) {
        var joined: Set<Int> = []
        let events = (1...UInt64(count)).map { sequence in
            let order = Int.random(in: 0..<orders, using: &generator)
            let other = Int.random(in: 0..<orders, using: &generator)
            var labels: [OrderLabel] = []
            if generator.once(in: 8), !joined.contains(other) {
                joined.insert(other)
                labels = [Self.reference(order), Self.id(other)]
            } else if generator.once(in: 4), !joined.contains(order) {
                labels = [Self.id(order)]
            } else {
                labels = [Self.reference(order)]
            }
            return Event(
                sequence: sequence, labels: labels, isWanted: !generator.once(in: 10))
        }
        self.events = events
        wanted = Set(events.filter(\.isWanted).map(\.sequence))
    }

    private static func reference(_ order: Int) -> OrderLabel {
        OrderLabel(endpoint: "shop", reference: "R-\(order)")
    }

    private static func id(_ order: Int) -> OrderLabel {
        OrderLabel(endpoint: "shop", id: "PAY-\(order)")
    }

    subscript(_ sequence: UInt64) -> Event { events[Int(sequence) - 1] }

    /// Whether the two events have a common label.
    func areRelated(_ one: UInt64, _ other: UInt64) -> Bool {
        self[one].labels.contains { self[other].labels.contains($0) }
    }
}

/// The state on a disk: each write is made completely or not at all.
struct ModelState: Sendable {
    private(set) var cursor: UInt64 = 0
    private(set) var pause: PauseReason?
    private var rows: [UInt64: DeliveryRow] = [:]

    mutating func apply(_ changes: DeliveryChanges) {
        cursor = changes.cursor
        pause = changes.pause
        for sequence in changes.settled { rows[sequence] = nil }
        for row in changes.events where rows[row.sequence] != nil || isNew(row, changes) {
            rows[row.sequence] = row
        }
    }

    private func isNew(_ row: DeliveryRow, _ changes: DeliveryChanges) -> Bool {
        changes.new.contains(row.sequence)
    }

    func restored(_ history: ModelHistory) -> RestoredDelivery {
        RestoredDelivery(
            cursor: cursor, pause: pause,
            events: rows.values.sorted { $0.sequence < $1.sequence }.map {
                RestoredDelivery.Event(row: $0, orders: history[$0.sequence].labels)
            })
    }
}

/// The present behaviour of the destination.
enum ModelWeather: CaseIterable, Sendable {
    case well
    /// Each attempt fails half of the time, in any way.
    case flaky
    /// No attempt succeeds.
    case down
    /// It accepts everything, and its answers do not arrive.
    case late
}

/// A planted mistake, which the model must find.
enum PlantedDefect: CaseIterable, Sendable {
    /// The state's cursor is the position that was read, not the one that was delivered.
    case cursorBeforeAnswer
    /// Each event has its own lane, whatever its order.
    case retriesReorder
    /// Failures count while the breaker is open.
    case breakerConsumesAttempts
    /// Only the first event of a failing order is kept.
    case forgetsWhatIsBehind
    /// Events after a dead letter are sent.
    case passesDeadLetters
    /// A timeout counts as a success.
    case timeoutIsSuccess
}
