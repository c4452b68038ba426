import Platform

/// How long a failure is held against the database: when the next connection is tried, and until
/// when a connection alone does not show that batches succeed.
struct DatabaseTrust {
    private let pauseMin: UInt64
    private let pauseMax: UInt64
    private var pause: UInt64
    private(set) var nextAttempt = MonotonicTime(nanoseconds: 0)
    /// After a batch has failed, a connection alone does not show that the next one will not: until
    /// then only a batch that is committed does.
    private var doubt = MonotonicTime(nanoseconds: 0)
    private var doubtSeconds = DatabaseTrust.doubtSecondsMin

    /// How long the first failure is held against the database, and a row of them at most.
    private static let doubtSecondsMin = 2
    private static let doubtSecondsMax = 10

    init(_ options: DatabaseOptions) {
        pauseMin = UInt64(options.reconnectMillisecondsMin) * 1_000_000
        pauseMax = UInt64(options.reconnectMillisecondsMax) * 1_000_000
        pause = pauseMin
    }

    /// Whether a connection that works shows that batches do.
    func trustsConnections(at now: MonotonicTime) -> Bool { now >= doubt }

    /// A batch was committed.
    mutating func noteCommit() {
        doubtSeconds = Self.doubtSecondsMin
        pause = pauseMin
    }

    /// A batch has failed.
    mutating func noteFailure(at now: MonotonicTime) {
        doubt = now.advanced(seconds: doubtSeconds)
        doubtSeconds = min(2 * doubtSeconds, Self.doubtSecondsMax)
        postpone(at: now)
    }

    /// The next connection is tried later, and the one after it later still.
    mutating func postpone(at now: MonotonicTime) {
        nextAttempt = now.advanced(nanoseconds: pause)
        pause = min(2 * pause, pauseMax)
    }
}
