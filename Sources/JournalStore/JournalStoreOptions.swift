import Journal
import Payments

/// The store's limits and duties. Each limit is named, unit last.
package struct JournalStoreOptions: Sendable {
    package var journal = JournalOptions()
    /// Submissions that may wait for the committer; more are refused as `overloaded`.
    package var queueSubmissionsMax = 10_000
    /// What they may hold in memory.
    package var queueBytesMax = 64 << 20
    /// How submissions that come in rounds are gathered. The ends of rounds are announced by
    /// `JournalStore.flush()`.
    package var rounds = RoundOptions()
    /// What the newest records, without their requests, may hold in memory for the index; when it
    /// is further behind, it reads the journal's files.
    package var recentBytesMax = 8 << 20
    /// How long the journal must be quiet before an idle marker tells readers that all of it is
    /// durable.
    package var idleMarkerSeconds = 1
    /// A snapshot is written after this many records, or a quarter of the remembered events,
    /// whichever is more. 0 writes none.
    package var snapshotRecords = 500_000
    /// It is also written this long after the first record that no snapshot covers: forgetting and
    /// retention, which follow a snapshot, are not to wait for a quiet shop's next half million.
    package var snapshotSeconds = 86_400
    /// Closing writes one when this many records came since the last: fewer are read again sooner
    /// than a snapshot of everything is written.
    package var snapshotClosingRecords = 10_000
    /// When sealed segments are taken away; nil keeps all. Looked at after every snapshot.
    package var retention: JournalRetention?
    /// Up to which record everybody was told who is to be told; nil when nobody is.
    package var toldThrough: @Sendable () -> UInt64? = { nil }
    /// How long an event is remembered as seen: at least the longest retry window of any provider,
    /// 30 days.
    package var dedupRetainDays = 400
    /// Most facts (attempts, captures, refunds, references …) that one order holds. What comes
    /// beyond it is kept in the journal and not added up, and the order is in `review`. Without it
    /// each event would cost as much as the order has had before.
    package var orderFactsMax = Order.factsMaxDefault

    package init() {}

    /// What contradicts itself in these options, or nil.
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

/// When sealed segments leave the journal's directory, and where they go.
package struct JournalRetention: Sendable, Equatable {
    /// How long a sealed segment stays, in days.
    package var days: Int
    package var disposal: Retention.Disposal
    /// How much longer it stays while somebody was not told of all of it, in days.
    package var undeliveredDays: Int

    package init(
        days: Int, disposal: Retention.Disposal = .archive, undeliveredDays: Int = 30
    ) {
        self.days = days
        self.disposal = disposal
        self.undeliveredDays = undeliveredDays
    }
}
