/// Number of submissions that a batch waits for while other instances write, too.
///
/// All instances wait for the lock of the head row, and the fixed cost of a batch is that of some
/// fifteen rows: an instance that takes the lock for a few rows delays all others. So while others
/// write, it waits until the clients that it has answered send again, but not longer than its last
/// batch took. Alone it never waits: the next batch gathers while one is under way.
struct BatchGathering {
    /// Number of submissions to wait for; 0 for none.
    private(set) var count = 0
    private(set) var nanoseconds: UInt64 = 0

    /// Maximum wait.
    static let nanosecondsMax: UInt64 = 5_000_000

    /// Notes a committed batch.
    ///
    /// - Parameters:
    ///   - taken: Number of its submissions.
    ///   - waiting: Number of submissions that arrived meanwhile.
    ///   - isShared: Whether another instance has written since the previous batch.
    ///   - nanoseconds: Duration of the batch, the wait for the lock included.
    mutating func noteBatch(taken: Int, waiting: Int, isShared: Bool, nanoseconds: UInt64) {
        count = isShared ? (taken + waiting) * 3 / 4 : 0
        self.nanoseconds = min(nanoseconds, Self.nanosecondsMax)
    }
}
