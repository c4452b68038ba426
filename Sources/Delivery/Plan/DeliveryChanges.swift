/// The changes that one write makes in the state.
package struct DeliveryChanges: Sendable, Equatable {
    /// Everything up to here is delivered, skipped or among the kept events.
    package var cursor: UInt64
    package var pause: PauseReason?
    /// Kept events with their new values, ascending.
    package var events: [DeliveryRow] = []
    /// Those of `events` that the state does not have yet; their records are needed.
    package var new: Set<UInt64> = []
    /// Events that were delivered or given up.
    package var settled: [UInt64] = []
}

/// The columns of a kept event that change.
package struct DeliveryRow: Sendable, Equatable {
    package var sequence: UInt64
    /// Failed attempts that counted.
    package var attempts: Int
    /// When the next attempt is due, in microseconds since 1970; 0 for at once.
    package var due: Int64
    package var isDead: Bool
}

extension DeliveryRow {
    init(_ event: WaitingEvent) {
        self.init(
            sequence: event.sequence, attempts: event.attempts, due: event.due,
            isDead: event.isDead)
    }
}

/// A destination's part of the state, as it is read at a start.
package struct RestoredDelivery: Sendable, Equatable {
    package struct Event: Sendable, Equatable {
        package var row: DeliveryRow
        package var orders: [OrderLabel]
        /// When the store got it, in microseconds since 1970.
        package var received: Int64 = 0
    }

    package var cursor: UInt64
    package var pause: PauseReason?
    package var events: [Event] = []
}
