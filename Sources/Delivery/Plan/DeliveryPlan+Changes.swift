extension DeliveryPlan {
    /// Whether events in flight hold the cursor, which the next changes may mend.
    package var holdsCursor: Bool { !inFlight.isEmpty && !unkept.isEmpty }

    /// Everything up to here is delivered, skipped or kept in the state.
    package var cursor: UInt64 { unkept.min().map { $0 - 1 } ?? position }

    /// What the state has to take in, in one step: the plan counts on it from now on. A caller
    /// whose write fails writes the same again, before anything newer.
    package mutating func takeChanges() -> DeliveryChanges {
        keepSlowEvents()
        var changes = DeliveryChanges(cursor: cursor, pause: pause)
        for sequence in dirty {
            guard let id = lanes.lane(of: sequence), let event = lanes.event(sequence) else {
                continue
            }
            changes.events.append(DeliveryRow(event))
            guard !event.isStored else { continue }
            changes.new.insert(sequence)
            unstoredBytes -= event.byteCount
            lanes.change(id) { lane in lane.change(sequence) { $0.isStored = true } }
        }
        changes.events.sort { $0.sequence < $1.sequence }
        changes.settled = settled
        dirty.removeAll()
        settled.removeAll()
        return changes
    }

    /// What is in flight for long would hold the cursor, and what others were told meanwhile would
    /// be told again after a crash.
    private mutating func keepSlowEvents() {
        for sequence in inFlight {
            guard let id = lanes.lane(of: sequence), let event = lanes.event(sequence) else {
                continue
            }
            if event.isSlow {
                keep(id)
            } else {
                lanes.change(id) { lane in lane.change(sequence) { $0.isSlow = true } }
            }
        }
    }
}

/// What one write of the state changes.
package struct DeliveryChanges: Sendable, Equatable {
    /// Everything up to here is delivered, skipped or among the kept events.
    package var cursor: UInt64
    package var pause: PauseReason?
    /// Kept events as they are now, ascending.
    package var events: [DeliveryRow] = []
    /// Those of them that the state does not have yet, and needs the record of.
    package var new: Set<UInt64> = []
    /// Events that were delivered.
    package var settled: [UInt64] = []
}

/// One kept event, as the state has it.
package struct DeliveryRow: Sendable, Equatable {
    package var sequence: UInt64
    /// Attempts that failed and counted.
    package var attempts: Int
    /// When the next attempt is due, in microseconds since 1970; 0 for at once.
    package var due: Int64
    package var isDead: Bool

    package init(sequence: UInt64, attempts: Int, due: Int64, isDead: Bool) {
        self.sequence = sequence
        self.attempts = attempts
        self.due = due
        self.isDead = isDead
    }

    init(_ event: WaitingEvent) {
        self.init(
            sequence: event.sequence, attempts: event.attempts, due: event.due,
            isDead: event.isDead)
    }
}

/// What the state knows of a destination at a start.
package struct RestoredDelivery: Sendable, Equatable {
    package struct Event: Sendable, Equatable {
        package var row: DeliveryRow
        package var orders: [OrderLabel]
        /// When the store got it, in microseconds since 1970.
        package var received: Int64

        package init(row: DeliveryRow, orders: [OrderLabel], received: Int64 = 0) {
            self.row = row
            self.orders = orders
            self.received = received
        }
    }

    package var cursor: UInt64
    package var pause: PauseReason?
    package var events: [Event]

    package init(cursor: UInt64, pause: PauseReason? = nil, events: [Event] = []) {
        self.cursor = cursor
        self.pause = pause
        self.events = events
    }
}
