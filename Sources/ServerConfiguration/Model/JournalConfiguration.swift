import JournalStore
import Providers

/// The journal's directory, and how long its segments and snapshots are kept.
package struct JournalConfiguration: Sendable, Equatable {
    /// The treatment of a segment that is older than `retainDays`.
    package enum Archive: String, Sendable, CaseIterable {
        /// The segment is moved to `archive/` in the journal's directory.
        case move
        case delete
    }

    private static let defaults = JournalStoreOptions()

    /// The absolute path of the directory.
    package var directory: String
    /// Size of a segment in MiB.
    package var segmentMiB = defaults.journal.segmentBytes >> 20
    /// Days that a sealed segment stays in place; 0 keeps all segments forever.
    package var retainDays = 0
    /// Extra days to keep a segment that still has undelivered events.
    package var retainUndeliveredDays = 30
    package var archive = Archive.move
    /// Days that an event's identity is remembered after its arrival. The longest retry window of a
    /// provider is 30 days, so a smaller number would count an event twice.
    package var dedupRetainDays = defaults.dedupRetainDays
    /// Number of records after which a snapshot is written, or a quarter of the remembered events
    /// if that is more. One is also written when the server stops. 0 writes none.
    package var snapshotRecords = defaults.snapshotRecords
    /// Hours after the first record that no snapshot covers until one is written in any case.
    package var snapshotHours = defaults.snapshotSeconds / 3600
    package var snapshotSeconds: Int { snapshotHours * 3600 }

    /// Seconds that a start waits for a small order index; a large one is checked after the start.
    /// Lists answer 503 until the index is ready.
    package var indexWaitSeconds = 1

    package init(directory: String) { self.directory = directory }

    /// The directory of the state of deliveries: `delivery` beside the journal's.
    package var deliveryDirectory: String {
        var path = directory
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return "delivery" }
        return "\(path[...slash])delivery"
    }
}

/// The limits of the store. Beyond those of the queue a notification is answered 503, so that its
/// provider sends it again.
package struct QueueLimits: Sendable, Equatable {
    private static let defaults = JournalStoreOptions()

    /// Maximum number of notifications that wait for the disk.
    package var queueSubmissionsMax = defaults.queueSubmissionsMax
    /// Maximum number of bytes of the waiting notifications together.
    package var queueBytesMax = defaults.queueBytesMax
    /// Bytes of memory for the newest records, without their requests, until the index has taken
    /// them.
    package var recentBytesMax = defaults.recentBytesMax
    /// Facts (attempts, captures, refunds, references …) of one order. Facts beyond this are stored
    /// and not added up, and the order is in `review`.
    package var orderFactsMax = defaults.orderFactsMax

    package init() {}
}

/// The name, range and key path of one of the ``QueueLimits``; the counterpart of `HTTP.LimitName`.
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

/// The name, range and key path of one of `Providers.VerificationLimits`; the counterpart of
/// `HTTP.LimitName`.
struct VerificationLimitName {
    let name: String
    let path: any WritableKeyPath<VerificationLimits, Int> & Sendable
    let range: ClosedRange<Int>

    /// All verification limits. Below four bytes per byte a plain notification could not be parsed,
    /// assembled and hashed.
    static let all: [VerificationLimitName] = [
        VerificationLimitName(
            name: "verificationBytesPerByteMax", path: \.verificationBytesPerByteMax,
            range: 4...10_000),
        VerificationLimitName(
            name: "verificationBytesFree", path: \.verificationBytesFree, range: 4096...1 << 30),
    ]
}
