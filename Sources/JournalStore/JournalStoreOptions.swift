import Journal
import Payments
import Sealing

/// The limits and duties of the store.
package struct JournalStoreOptions: Sendable {
    package var journal = JournalOptions()
    /// Most submissions that wait for the committer; more are refused as `overloaded`.
    package var queueSubmissionsMax = 10_000
    /// Most bytes of them in memory.
    package var queueBytesMax = 64 << 20
    /// Gathering of submissions that come in rounds. `JournalStore.flush()` announces the ends.
    package var rounds = RoundOptions()
    /// Most bytes of order rows that wait in memory for the index; an index that is further behind
    /// reads the journal's files.
    package var recentBytesMax = 8 << 20
    /// Seconds without a commit before an idle marker shows readers that the whole journal is
    /// durable.
    package var idleMarkerSeconds = 1
    /// Records between snapshots, or a quarter of the remembered events, whichever is more. 0
    /// writes none.
    package var snapshotRecords = 500_000
    /// Most seconds from a record to a snapshot that covers it: forgetting and retention follow a
    /// snapshot, and must not wait for a quiet shop's next half million records.
    package var snapshotSeconds = 86_400
    /// Records since the last snapshot for which closing writes one: fewer are replayed faster than
    /// a snapshot is written.
    package var snapshotClosingRecords = 10_000
    /// The keys that wrap the keys of the records, the present one first; the personal parts of new
    /// records are sealed when there is one.
    package var masterKeys: [MasterKey] = []
    /// Retention of sealed segments, checked after every snapshot; nil keeps all.
    package var retention: JournalRetention?
    /// The last record that every destination has received; nil when there is no destination.
    package var deliveredThrough: @Sendable () -> UInt64? = { nil }
    /// Days for which events are remembered: at least the longest retry window of any provider,
    /// 30 days.
    package var dedupRetainDays = 400
    /// Most facts (attempts, captures, refunds, references …) that one order holds. Beyond it,
    /// events are recorded and not added up, and the order is in `review`. Without a limit the cost
    /// of an event would grow with the order's history.
    package var orderFactsMax = Order.factsMaxDefault

    package init() {}

    /// The first invalid option; nil when all are valid.
    package var mistake: String? {
        if queueSubmissionsMax < 1 { return "queueSubmissionsMax must be at least 1" }
        if queueBytesMax < 1 { return "queueBytesMax must be at least 1" }
        if recentBytesMax < 0 { return "recentBytesMax must not be below 0" }
        if idleMarkerSeconds < 1 { return "idleMarkerSeconds must be at least 1" }
        if snapshotSeconds < 1 { return "snapshotSeconds must be at least 1" }
        if snapshotRecords < 0 { return "snapshotRecords must not be below 0" }
        if orderFactsMax < 16 { return "orderFactsMax must be at least 16" }
        if dedupRetainDays < 30 { return "dedupRetainDays must be at least 30" }
        return journal.mistake
    }
}

/// Retention of sealed segments.
package struct JournalRetention: Sendable, Equatable {
    /// Days for which a sealed segment stays in the journal's directory.
    package var days: Int
    package var disposal: Retention.Disposal
    /// Extra days to keep a segment that still has undelivered events.
    package var undeliveredDays: Int

    package init(
        days: Int, disposal: Retention.Disposal = .archive, undeliveredDays: Int = 30
    ) {
        self.days = days
        self.disposal = disposal
        self.undeliveredDays = undeliveredDays
    }
}
