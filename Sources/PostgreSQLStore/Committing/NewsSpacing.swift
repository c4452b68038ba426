import Platform

/// When readers are told of new records: at once after a pause, and at most every few milliseconds
/// while more and more come. Telling wakes threads of every instance and sessions of the server,
/// which for each batch would cost them as much as two of its rows.
struct NewsSpacing {
    /// When readers may be told next.
    private var next = MonotonicTime(nanoseconds: 0)
    /// Whether there is something that they were not told of.
    private(set) var isOwed = false

    /// The least time between two words to them.
    static let nanosecondsMin: UInt64 = 10_000_000

    /// When they have to be told though no batch comes; `never` when they know all.
    var deadline: MonotonicTime { isOwed ? next : .never }

    func isDue(at now: MonotonicTime) -> Bool { now >= next }

    /// There is something new, and they are told of it later.
    mutating func owe() { isOwed = true }

    /// They were told of everything.
    mutating func noteTold(at now: MonotonicTime) {
        isOwed = false
        next = now.advanced(nanoseconds: Self.nanosecondsMin)
    }
}
