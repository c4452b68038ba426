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

    /// A partition whose events were all received so many days ago is dropped; 0 keeps all.
    package var retainDays = 0
    /// So many days more it waits for `destinations` that were not told of all its events.
    package var retainUndeliveredDays = 30
    /// The names of those who are told.
    package var destinations: [String] = []
    /// How long an event is remembered as seen: at least the longest retry window of any provider,
    /// 30 days.
    package var dedupRetainDays = 400
    /// How often is looked whether something is to be dropped or forgotten.
    package var retentionSeconds = 600
    /// Whether this instance looks.
    package var retains = false

    package init() {}
}
