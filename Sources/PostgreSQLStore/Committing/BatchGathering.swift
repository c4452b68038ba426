/// How many submissions a batch waits for while other instances write, too.
///
/// All wait for the lock of the head row, and a batch costs the server as much as some fifteen rows
/// before its first one: an instance that takes the lock for a few makes all others wait for that.
/// So while others write, it waits until those that it has answered have come again, but no longer
/// than its last batch took. Alone it never waits: the next batch gathers while one is under way.
struct BatchGathering {
    /// How many are waited for; 0 when nobody is.
    private(set) var count = 0
    private(set) var nanoseconds: UInt64 = 0

    /// However long a batch takes.
    static let nanosecondsMax: UInt64 = 5_000_000

    /// A batch was committed.
    ///
    /// - Parameters:
    ///   - taken: how many submissions it held.
    ///   - waiting: how many have come meanwhile.
    ///   - isShared: another instance has written since this one's last batch.
    ///   - nanoseconds: how long the batch took, the wait for the lock with it.
    mutating func noteBatch(taken: Int, waiting: Int, isShared: Bool, nanoseconds: UInt64) {
        count = isShared ? (taken + waiting) * 3 / 4 : 0
        self.nanoseconds = min(nanoseconds, Self.nanosecondsMax)
    }
}
