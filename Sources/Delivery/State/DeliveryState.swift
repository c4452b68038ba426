/// Stores the cursor of each destination, the events that wait, and the last attempts. If it is
/// lost, everything is delivered again from the beginning.
///
/// Of several instances one holds the lease of a destination; only that one may write.
package protocol DeliveryState: Sendable {
    /// Takes the destination's lease and reads its state; nil while another instance holds the
    /// lease. The state of another store than `store` is deleted, except for the pause.
    ///
    /// - Parameters:
    ///   - newest: The last record of the store, with which a new destination may begin.
    ///   - changed: Called from any thread when the lease may be lost, or when there are commands.
    func open(
        _ destination: DeliveryDestination, store: String, newest: UInt64,
        changed: @escaping @Sendable () -> Void
    ) async throws(DeliveryStateFailure) -> OpenedDelivery?

    /// Whether the lease is certainly still held. Nothing is sent without it. Cheap.
    func holds(_ lease: Int64, of destination: String) -> Bool

    /// Makes all changes of `write` or none. Throws `leaseLost`, and changes nothing, when the
    /// lease of the write is not the present one.
    func write(_ write: DeliveryWrite) async throws(DeliveryStateFailure)

    /// Commands that other instances left for the holder of the lease, the oldest first. A command
    /// stays until a write answers it.
    func commands(
        for destination: String
    ) async throws(DeliveryStateFailure) -> [QueuedCommand]

    /// Leaves a command for the holder of the lease and waits for its answer, the number of events
    /// changed. Nil without an answer in time; the command is then withdrawn.
    func ask(
        _ command: DeliveryCommand, of destination: String
    ) async throws(DeliveryStateFailure) -> Int?

    /// All destinations, whichever instance serves them.
    func destinations() async throws(DeliveryStateFailure) -> [StoredDestination]

    /// The head of the record of a kept event; nil if it is not kept.
    func record(
        _ sequence: UInt64, for destination: String
    ) async throws(DeliveryStateFailure) -> [UInt8]?

    /// Gives the lease back.
    func release(_ destination: String) async

    /// Closes the file or the connections.
    func close() async

    /// Kept events: those that wait for a retry or for an earlier event, and dead letters.
    func deliveries(_ query: DeliveryQuery) async throws(DeliveryStateFailure) -> DeliveryList

    /// Number of events that match `query`, on all its pages.
    func count(_ query: DeliveryQuery) async throws(DeliveryStateFailure) -> Int

    /// The last attempts of an order, the newest first. Events that were delivered at once have
    /// none.
    func attempts(
        reference: String, limit: Int
    ) async throws(DeliveryStateFailure) -> [LoggedAttempt]

    /// Removes the excerpts of all answers to events of these records, of every destination.
    /// Returns their number.
    func removeAnswers(
        about records: [ClosedRange<UInt64>]
    ) async throws(DeliveryStateFailure) -> Int
}

/// A destination's state under a new lease.
package struct OpenedDelivery: Sendable, Equatable {
    package var state: RestoredDelivery
    /// Whether the destination had no state.
    package var isNew = false
    /// The other store that the state belonged to; nil if it was not reset.
    package var formerStore: String?
    /// Number of times the destination's lease was taken; 0 in a state for one process.
    package var lease: Int64 = 0
}

/// One write of the state: a transaction.
package struct DeliveryWrite: Sendable {
    package var destination: String
    /// The lease under which it was made: ``OpenedDelivery/lease``.
    package var lease: Int64 = 0
    package var changes: DeliveryChanges
    /// The events that the state does not have yet, by sequence.
    package var events: [UInt64: FeedEvent]
    package var attempts: [LoggedAttempt]
    /// Number of attempts of the destination that are kept.
    package var attemptsMax: Int
    /// Number of events that each command changed, by the command's id.
    package var answers: [Int64: Int] = [:]
}

/// Why the state cannot be read or written now.
package enum DeliveryStateFailure: Error, Sendable, Equatable {
    /// The disk is full, or the database is unavailable.
    case unavailable(String)
    /// Another instance has taken the lease.
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
