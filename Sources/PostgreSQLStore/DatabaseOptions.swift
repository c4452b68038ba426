import Payments

/// The store's limits. Each is named, unit last.
package struct DatabaseOptions: Sendable {
    /// Submissions that may wait; more are refused as `overloaded`.
    package var queueSubmissionsMax = 10_000
    /// What they may hold in memory.
    package var queueBytesMax = 64 << 20
    /// Submissions of one batch, and what their requests may come to.
    package var batchSubmissionsMax = 256
    package var batchBytesMax = 8 << 20
    /// Most facts (attempts, captures, refunds, references …) of one order.
    package var orderFactsMax = Order.factsMaxDefault
    /// The longest record.
    package var recordBytesMax = 4 << 20
    /// From a batch's first statement to the answer to its commit; then the socket is closed.
    package var batchSecondsMax = 5
    /// How long a submission waits for the database altogether.
    package var requestSecondsMax = 10
    /// The pause before a failed connection is tried again; it doubles up to the second.
    package var reconnectMillisecondsMin = 50
    package var reconnectMillisecondsMax = 1000

    /// How many read at the same time, each on a connection of its own.
    package var readConnectionsMax = 4
    /// For one reading with its confirmation, and as long again for its turn.
    package var readSecondsMax = 10
    /// Between two commits that only confirm what readers have seen.
    package var confirmMillisecondsMin = 5
    /// Whether readers are told of what other instances record.
    package var followsOthers = true

    package init() {}
}
