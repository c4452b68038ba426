/// The orders with waiting events, found by their labels and by their events.
struct LaneTable: Sendable {
    private var lanes: [Int: OrderLane] = [:]
    private var byLabel: [OrderLabel: Int] = [:]
    private var byEvent: [UInt64: Int] = [:]
    private var next = 0

    /// Number of waiting events.
    var eventCount: Int { byEvent.count }

    subscript(_ lane: Int) -> OrderLane? { lanes[lane] }

    func lane(of sequence: UInt64) -> Int? { byEvent[sequence] }

    func event(_ sequence: UInt64) -> WaitingEvent? {
        byEvent[sequence].flatMap { lanes[$0]?.events.first { $0.sequence == sequence } }
    }

    /// All events, lane by lane.
    var events: some Sequence<WaitingEvent> { lanes.values.lazy.flatMap(\.events) }

    /// When the first event was received that no dead event blocks, in microseconds since 1970;
    /// nil when there is none.
    var oldestReceived: Int64? {
        lanes.values.lazy.filter { $0.head?.isDead == false }.flatMap(\.events)
            .min { $0.sequence < $1.sequence }?.received
    }

    /// Changes the lane if it exists.
    mutating func change(_ lane: Int, _ body: (inout OrderLane) -> Void) {
        guard lanes[lane] != nil else { return }
        body(&lanes[lane]!)
    }

    /// Adds an event with these labels; the orders that had them are one order from now on.
    /// Returns its lane, and whether lanes were joined.
    mutating func add(
        _ event: WaitingEvent, _ labels: [OrderLabel]
    ) -> (lane: Int, isJoined: Bool) {
        var found: [Int] = []
        for label in labels {
            if let lane = byLabel[label], !found.contains(lane) { found.append(lane) }
        }
        let lane = found.first ?? open()
        for other in found.dropFirst() { join(other, into: lane) }
        for label in labels where byLabel[label] == nil {
            byLabel[label] = lane
            lanes[lane]?.labels.append(label)
        }
        lanes[lane]?.insert(event)
        byEvent[event.sequence] = lane
        return (lane, found.count > 1)
    }

    private mutating func open() -> Int {
        next += 1
        lanes[next] = OrderLane(labels: [])
        return next
    }

    private mutating func join(_ other: Int, into lane: Int) {
        guard let joined = lanes.removeValue(forKey: other) else { return }
        for label in joined.labels { byLabel[label] = lane }
        for event in joined.events { byEvent[event.sequence] = lane }
        lanes[lane]?.join(joined)
    }

    /// Removes an event, and its lane when it was the last.
    mutating func remove(_ sequence: UInt64) -> WaitingEvent? {
        guard let lane = byEvent.removeValue(forKey: sequence),
            let event = lanes[lane]?.remove(sequence)
        else { return nil }
        if let rest = lanes[lane], rest.isEmpty {
            for label in rest.labels { byLabel[label] = nil }
            lanes[lane] = nil
        }
        return event
    }
}
