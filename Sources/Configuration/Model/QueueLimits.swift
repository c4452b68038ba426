import Store

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
