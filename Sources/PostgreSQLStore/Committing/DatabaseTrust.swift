import Platform

/// Time for which a failure counts against the database: when the next connection is tried, and
/// until when a connection alone does not prove that batches succeed.
struct DatabaseTrust {
    private let pauseMin: UInt64
    private let pauseMax: UInt64
    private var pause: UInt64
    private(set) var nextAttempt = MonotonicTime(nanoseconds: 0)
    /// After a failed batch, a connection alone does not prove that the next batch succeeds: until
    /// this time only a committed batch does.
    private var doubt = MonotonicTime(nanoseconds: 0)
    private var doubtSeconds = DatabaseTrust.doubtSecondsMin

    /// Duration of the doubt after a first failure, and its maximum after consecutive ones.
    private static let doubtSecondsMin = 2
    private static let doubtSecondsMax = 10

    init(_ options: DatabaseOptions) {
        pauseMin = UInt64(options.reconnectMillisecondsMin) * 1_000_000
        pauseMax = UInt64(options.reconnectMillisecondsMax) * 1_000_000
        pause = pauseMin
    }

    /// Whether a working connection proves that batches succeed.
    func trustsConnections(at now: MonotonicTime) -> Bool { now >= doubt }

    /// Notes a committed batch.
    mutating func noteCommit() {
        doubtSeconds = Self.doubtSecondsMin
        pause = pauseMin
    }

    /// Notes a failed batch.
    mutating func noteFailure(at now: MonotonicTime) {
        doubt = now.advanced(seconds: doubtSeconds)
        doubtSeconds = min(2 * doubtSeconds, Self.doubtSecondsMax)
        postpone(at: now)
    }

    /// Postpones the next connection, and doubles the pause before the one after it.
    mutating func postpone(at now: MonotonicTime) {
        nextAttempt = now.advanced(nanoseconds: pause)
        pause = min(2 * pause, pauseMax)
    }
}
