import JournalStore
import Providers

/// Where the journal is and what becomes of its past.
package struct JournalConfiguration: Sendable, Equatable {
    /// What happens to a segment that is older than `retainDays`.
    package enum Archive: String, Sendable, CaseIterable {
        /// Into `archive/` in the journal's directory.
        case move
        case delete
    }

    private static let defaults = JournalStoreOptions()

    /// The absolute path of the directory.
    package var directory: String
    /// Size of a segment in MiB.
    package var segmentMiB = defaults.journal.segmentBytes >> 20
    /// Days that a sealed segment stays in place; 0 keeps all for ever.
    package var retainDays = 0
    /// So many days more it stays while a destination was not told of all of it.
    package var retainUndeliveredDays = 30
    package var archive = Archive.move
    /// Days that the identity of an event is remembered after it came. The longest retry window of
    /// a provider is 30 days, so less would count an event twice.
    package var dedupRetainDays = defaults.dedupRetainDays
    /// A snapshot is written after this many records (a quarter of the remembered events, if that
    /// is more), and when the server stops; 0 writes none.
    package var snapshotRecords = defaults.snapshotRecords
    /// It is also written this many hours after the first record that no snapshot covers.
    package var snapshotHours = defaults.snapshotSeconds / 3600
    package var snapshotSeconds: Int { snapshotHours * 3600 }

    /// How long a start waits for a small index of orders; a large one is checked behind it. Lists
    /// answer 503 until it is there.
    package var indexWaitSeconds = 1

    package init(directory: String) { self.directory = directory }
}

/// The bounds of the store. Beyond those of the queue a notification is answered 503, so that its
/// provider sends it again.
package struct QueueLimits: Sendable, Equatable {
    private static let defaults = JournalStoreOptions()

    /// Notifications that wait for the disk.
    package var queueSubmissionsMax = defaults.queueSubmissionsMax
    /// Their bytes together.
    package var queueBytesMax = defaults.queueBytesMax
    /// What the newest records, without their requests, hold in memory until the index takes them.
    package var recentBytesMax = defaults.recentBytesMax
    /// Facts (attempts, captures, refunds, references …) of one order. What comes beyond it is kept
    /// in the journal and not added up, and the order is in `review`.
    package var orderFactsMax = defaults.orderFactsMax

    package init() {}
}

/// One of these limits as the configuration sees it; `HTTP.LimitName` is its sister.
struct QueueLimitName {
    let name: String
    let path: any WritableKeyPath<QueueLimits, Int> & Sendable
    let range: ClosedRange<Int>

    static let all: [QueueLimitName] = [
        QueueLimitName(
            name: "queueSubmissionsMax", path: \.queueSubmissionsMax, range: 1...10_000_000),
        QueueLimitName(name: "queueBytesMax", path: \.queueBytesMax, range: 1 << 20...1 << 36),
        QueueLimitName(name: "recentBytesMax", path: \.recentBytesMax, range: 0...1 << 32),
        QueueLimitName(name: "orderFactsMax", path: \.orderFactsMax, range: 16...100_000),
    ]
}

/// One of `Providers.VerificationLimits` as the configuration sees it; `HTTP.LimitName` is its
/// sister.
struct VerificationLimitName {
    let name: String
    let path: any WritableKeyPath<VerificationLimits, Int> & Sendable
    let range: ClosedRange<Int>

    /// Below four bytes a plain notification could not be parsed, put together and hashed.
    static let all: [VerificationLimitName] = [
        VerificationLimitName(
            name: "verificationBytesPerByteMax", path: \.verificationBytesPerByteMax,
            range: 4...10_000),
        VerificationLimitName(
            name: "verificationBytesFree", path: \.verificationBytesFree, range: 4096...1 << 30),
    ]
}
