import Platform

/// Limits how often readers are notified of new records: at once after a pause, and at most every
/// few milliseconds while batches follow each other. A notification wakes threads of every instance
/// and sessions of the server, which costs them as much as two rows of a batch.
struct NotifyThrottle {
    /// When readers may be notified next.
    private var next = MonotonicTime(nanoseconds: 0)
    /// Whether readers still have to be notified of a record.
    private(set) var isPending = false

    /// Minimum time between two notifications.
    static let nanosecondsMin: UInt64 = 10_000_000

    /// When the pending notification is due even without a batch; `never` if none is pending.
    var deadline: MonotonicTime { isPending ? next : .never }

    func isDue(at now: MonotonicTime) -> Bool { now >= next }

    /// Notes a record of which readers will be notified later.
    mutating func postpone() { isPending = true }

    /// Notes that readers were notified of every record.
    mutating func noteNotified(at now: MonotonicTime) {
        isPending = false
        next = now.advanced(nanoseconds: Self.nanosecondsMin)
    }
}
