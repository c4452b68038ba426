/// Where it is kept how far each destination was told. Its loss means telling again, from the
/// beginning.
///
/// Of a destination that several instances could serve, one holds the lease: it alone may write.
package protocol DeliveryState: Sendable {
    /// Takes the destination's lease and reads where it stands; nil while another instance holds
    /// it. What belongs to another store than `store` is forgotten.
    ///
    /// - Parameter changed: Called from any thread when the lease may be lost, or when there are
    ///   commands.
    func open(
        _ destination: Destination, store: String, changed: @escaping @Sendable () -> Void
    ) async throws(DeliveryStateFailure) -> OpenedDelivery?

    /// Whether the lease is surely still held: nothing is sent without it. Cheap.
    func holds(_ lease: Int64, of destination: String) -> Bool

    /// Makes one change, whole or not at all. Throws `leaseLost`, and changes nothing, when the
    /// lease of the write is not the present one.
    func write(_ write: DeliveryWrite) async throws(DeliveryStateFailure)

    /// What was asked of other instances and is to be done here, the oldest first. Each is done
    /// when a write has answered it.
    func commands(
        for destination: String
    ) async throws(DeliveryStateFailure) -> [DeliveryCommand]

    /// Asks the instance that holds the lease, and waits a while for its answer: how many events it
    /// has changed. Nil when none has answered; nothing is done then.
    func ask(
        _ act: DeliveryAct, of destination: String
    ) async throws(DeliveryStateFailure) -> Int?

    /// The state of all destinations, whichever instance serves them.
    func standings() async throws(DeliveryStateFailure) -> [DestinationStanding]

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
    /// It belonged to this store, and is restarted.
    package var formerStore: String?
    /// Counts how often the destination's lease was taken; 0 where one process has the state.
    package var lease: Int64

    package init(state: RestoredDelivery, formerStore: String? = nil, lease: Int64 = 0) {
        self.state = state
        self.formerStore = formerStore
        self.lease = lease
    }
}

/// One change of the state.
package struct DeliveryWrite: Sendable {
    package var destination: String
    /// Under which it was made: `OpenedDelivery.lease`.
    package var lease: Int64
    package var changes: DeliveryChanges
    /// The events that the state does not have yet, by sequence.
    package var events: [UInt64: FeedEvent]
    package var attempts: [LoggedAttempt]
    /// So many attempts are remembered.
    package var attemptsMax: Int
    /// Commands that this change carries out: how many events each has changed, by its id.
    package var answers: [Int64: Int]

    package init(
        destination: String, lease: Int64 = 0, changes: DeliveryChanges,
        events: [UInt64: FeedEvent], attempts: [LoggedAttempt], attemptsMax: Int,
        answers: [Int64: Int] = [:]
    ) {
        self.destination = destination
        self.lease = lease
        self.changes = changes
        self.events = events
        self.attempts = attempts
        self.attemptsMax = attemptsMax
        self.answers = answers
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
