import Payments
import Sealing

/// The store's limits. Each is named, unit last.
package struct DatabaseOptions: Sendable {
    /// Maximum number of waiting submissions; more are refused as `overloaded`.
    package var queueSubmissionsMax = 10_000
    /// Maximum memory of the waiting submissions.
    package var queueBytesMax = 64 << 20
    /// Maximum number of submissions in a batch, and of bytes in their requests.
    package var batchSubmissionsMax = 256
    package var batchBytesMax = 8 << 20
    /// Maximum number of facts (attempts, captures, refunds, references …) of one order.
    package var orderFactsMax = Order.factsMaxDefault
    /// Maximum size of a record.
    package var recordBytesMax = 4 << 20
    /// Time limit of a batch, from its first statement to the answer to its commit; then the socket
    /// is closed.
    package var batchSecondsMax = 5
    /// Total time that a submission waits for the database.
    package var requestSecondsMax = 10
    /// The pause before another connection is tried; it doubles from the first value up to the
    /// second.
    package var reconnectMillisecondsMin = 50
    package var reconnectMillisecondsMax = 1000

    /// Number of concurrent readers, each with its own connection.
    package var readConnectionsMax = 4
    /// Time limit of a read with its confirmation, and again of the wait for a free reader.
    package var readSecondsMax = 10
    /// Minimum time between two commits that only confirm rows for readers.
    package var confirmMillisecondsMin = 5
    /// Whether readers are notified of the records of other instances.
    package var followsOthers = true
    /// The keys that wrap the keys of the records, the present one first; the personal parts of new
    /// records are sealed when there is one.
    package var masterKeys: [MasterKey] = []

    /// A partition is dropped when all its events were received more than this many days ago; 0
    /// keeps all.
    package var retainDays = 0
    /// Extra days to keep a partition that has undelivered events of `destinations`.
    package var retainUndeliveredDays = 30
    /// The names of the destinations that events are delivered to.
    package var destinations: [String] = []
    /// Time for which an event is remembered for de-duplication: at least the longest retry window
    /// of any provider, 30 days.
    package var dedupRetainDays = 400
    /// Interval between two runs of retention.
    package var retentionSeconds = 600
    /// Whether this instance runs retention.
    package var retains = false

    package init() {}
}
