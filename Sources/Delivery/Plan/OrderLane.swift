/// The events of one order that are not delivered yet. Only the first is sent.
struct OrderLane: Sendable {
    /// The names of the order.
    var labels: [OrderLabel]
    /// Ascending by sequence.
    private(set) var events: [WaitingEvent] = []
    /// Number of events in flight: at most one, or more if orders were joined meanwhile.
    var inFlight = 0
    /// Whether its events are kept in the state, because one of them failed or takes long.
    var isKept = false
    /// The queue that holds it.
    var queue = LaneQueue.none

    init(labels: [OrderLabel]) { self.labels = labels }

    var head: WaitingEvent? { events.first }
    var isEmpty: Bool { events.isEmpty }

    /// Whether its first event may be sent once it is due.
    var isSendable: Bool { inFlight == 0 && head?.isDead == false }

    mutating func insert(_ event: WaitingEvent) {
        // The new event is nearly always the last one.
        let place = events.lastIndex { $0.sequence < event.sequence }.map { $0 + 1 } ?? 0
        events.insert(event, at: place)
    }

    mutating func remove(_ sequence: UInt64) -> WaitingEvent? {
        guard let index = events.firstIndex(where: { $0.sequence == sequence }) else { return nil }
        return events.remove(at: index)
    }

    /// Changes the event; returns false if the lane does not have it.
    @discardableResult
    mutating func change(_ sequence: UInt64, _ body: (inout WaitingEvent) -> Void) -> Bool {
        guard let index = events.firstIndex(where: { $0.sequence == sequence }) else {
            return false
        }
        body(&events[index])
        return true
    }

    /// Adds the events and names of an order that is part of this one from now on.
    mutating func join(_ other: OrderLane) {
        labels += other.labels
        inFlight += other.inFlight
        isKept = isKept || other.isKept
        queue = .none
        for event in other.events { insert(event) }
    }
}

/// The queue that holds a lane.
enum LaneQueue: Sendable {
    case none
    /// Lanes whose first event was never sent.
    case fresh
    /// Lanes whose first event has a due time.
    case retries
}

/// One event that is not delivered yet.
struct WaitingEvent: Sendable, Equatable {
    let sequence: UInt64
    /// The length of the record's head.
    let byteCount: Int
    /// When the store got it, in microseconds since 1970.
    let received: Int64
    /// Failed attempts that counted.
    var attempts = 0
    /// When the next attempt is due, in microseconds since 1970; 0 for at once.
    var due: Int64 = 0
    /// Whether all attempts have failed.
    var isDead = false
    /// When the attempt in flight began; nil when none is.
    var sent: Int64?
    /// Whether the state has it.
    var isStored = false
    /// Whether it was in flight at the last write of the state.
    var isSlow = false

    init(sequence: UInt64, byteCount: Int, received: Int64) {
        self.sequence = sequence
        self.byteCount = byteCount
        self.received = received
    }
}
