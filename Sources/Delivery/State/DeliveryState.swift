/// Where it is kept how far each destination was told. Its loss means telling again, from the
/// beginning.
///
/// Of a destination that several instances could serve, one holds the lease: it alone may write.
package protocol DeliveryState: Sendable {
    /// Takes the destination's lease and reads where it stands; nil while another instance holds
    /// it. What belongs to another store than `store` is forgotten.
    func open(
        _ destination: Destination, store: String
    ) async throws(DeliveryStateFailure) -> OpenedDelivery?

    /// Makes one change, whole or not at all.
    func write(_ write: DeliveryWrite) async throws(DeliveryStateFailure)

    /// The head of the record of an event that is kept; nil when it is not.
    func record(
        _ sequence: UInt64, for destination: String
    ) async throws(DeliveryStateFailure) -> [UInt8]?

    /// Gives the lease back.
    func release(_ destination: String) async

    /// Lets go of the file or the database.
    func close() async

    /// Events that are kept: those that wait for a retry or behind another one, and the dead.
    func deliveries(_ query: DeliveryQuery) async throws(DeliveryStateFailure) -> DeliveryList

    /// How many events `query` is about, whatever its page.
    func count(_ query: DeliveryQuery) async throws(DeliveryStateFailure) -> Int

    /// The last attempts of an order, the newest first. Of those that succeeded at once there is
    /// no trace.
    func attempts(
        reference: String, limit: Int
    ) async throws(DeliveryStateFailure) -> [LoggedAttempt]
}

/// A destination as its state has it.
package struct OpenedDelivery: Sendable, Equatable {
    package var state: RestoredDelivery
    /// It belonged to this store, and is begun anew.
    package var formerStore: String?

    package init(state: RestoredDelivery, formerStore: String? = nil) {
        self.state = state
        self.formerStore = formerStore
    }
}

/// One change of the state.
package struct DeliveryWrite: Sendable {
    package var destination: String
    package var changes: DeliveryChanges
    /// The events that the state does not have yet, by sequence.
    package var events: [UInt64: FeedEvent]
    package var attempts: [LoggedAttempt]
    /// So many attempts are remembered.
    package var attemptsMax: Int

    package init(
        destination: String, changes: DeliveryChanges, events: [UInt64: FeedEvent],
        attempts: [LoggedAttempt], attemptsMax: Int
    ) {
        self.destination = destination
        self.changes = changes
        self.events = events
        self.attempts = attempts
        self.attemptsMax = attemptsMax
    }
}

/// Why the state cannot be read or written now.
package enum DeliveryStateFailure: Error, Sendable, Equatable {
    /// The disk is full, the database away.
    case unavailable(String)
    /// Another instance serves the destination by now.
    case leaseLost
}

extension DeliveryStateFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let reason): reason
        case .leaseLost: "another instance has taken over the destination"
        }
    }
}
