/// The events of one order that were not taken by the destination yet. Only the first is sent.
struct OrderLane: Sendable {
    /// What the order is called by.
    var labels: [OrderLabel]
    /// Ascending by sequence.
    private(set) var events: [WaitingEvent] = []
    /// How many of them are in flight: one, or more where orders were joined meanwhile.
    var inFlight = 0
    /// Its events are kept in the state, because one of them failed or takes long.
    var isKept = false
    /// Where it waits for its turn.
    var queue = LaneQueue.none

    init(labels: [OrderLabel]) { self.labels = labels }

    var head: WaitingEvent? { events.first }
    var isEmpty: Bool { events.isEmpty }

    /// Whether its first event may be sent when its time has come.
    var isSendable: Bool { inFlight == 0 && head?.isDead == false }

    mutating func insert(_ event: WaitingEvent) {
        // Nearly always the newest.
        let place = events.lastIndex { $0.sequence < event.sequence }.map { $0 + 1 } ?? 0
        events.insert(event, at: place)
    }

    mutating func remove(_ sequence: UInt64) -> WaitingEvent? {
        guard let index = events.firstIndex(where: { $0.sequence == sequence }) else { return nil }
        return events.remove(at: index)
    }

    /// Changes the event; false when it is not here.
    @discardableResult
    mutating func change(_ sequence: UInt64, _ body: (inout WaitingEvent) -> Void) -> Bool {
        guard let index = events.firstIndex(where: { $0.sequence == sequence }) else {
            return false
        }
        body(&events[index])
        return true
    }

    /// Takes in an order that is part of this one from now on.
    mutating func join(_ other: OrderLane) {
        labels += other.labels
        inFlight += other.inFlight
        isKept = isKept || other.isKept
        queue = .none
        for event in other.events { insert(event) }
    }
}

/// Where a lane waits for its turn.
enum LaneQueue: Sendable {
    case none
    /// Among those whose first event was never sent.
    case fresh
    /// Among those whose first event waits for its time.
    case retries
}

/// One event that was not taken by the destination yet.
struct WaitingEvent: Sendable, Equatable {
    let sequence: UInt64
    /// The length of the record's head.
    let byteCount: Int
    /// When the store got it, in microseconds since 1970.
    let received: Int64
    /// Attempts that failed and counted.
    var attempts = 0
    /// When the next attempt is due, in microseconds since 1970; 0 for at once.
    var due: Int64 = 0
    /// All attempts have failed.
    var isDead = false
    /// When the attempt that is in flight began.
    var sent: Int64?
    /// The state has it.
    var isStored = false
    /// It was in flight already when the state was written last.
    var isSlow = false

    init(sequence: UInt64, byteCount: Int, received: Int64) {
        self.sequence = sequence
        self.byteCount = byteCount
        self.received = received
    }
}
