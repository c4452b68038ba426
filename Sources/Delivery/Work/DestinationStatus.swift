import Platform

/// Counters of one destination since the start.
package struct DeliveryCounters: Sendable, Equatable {
    /// Attempts by outcome: `delivered`, `status_1xx` to `status_5xx`, or the failure's reason.
    package var attempts: [String: Int] = [:]
    package var dead = 0
    package var breakerOpenings = 0
    /// Records that retention deleted before they were delivered.
    package var missed: UInt64 = 0
    package var stateFailures = 0

    mutating func count(_ outcome: AttemptOutcome) {
        let label =
            outcome.failure == nil && !outcome.isSuccess
            ? "status_\((outcome.status ?? 0) / 100)xx" : outcome.reason
        attempts[label, default: 0] += 1
    }
}

/// The status of one destination.
package struct DestinationStatus: Sendable, Equatable {
    package var name: String
    /// Where it receives, without the query; nil if the transport has no URL.
    package var url: String?
    /// Whether this instance serves it; otherwise `figures` are nil, or those of the state.
    package var isServed: Bool
    /// Host and process of the instance that serves it, if the state has it.
    package var servedBy: String?
    package var figures: PlanFigures?
    package var counters: DeliveryCounters
    /// Whether an attempt failed since everything was delivered.
    package var failing: Bool
    package var lastFailure: FailedAttempt?
    /// Attempts of the last hour, and those of them that failed.
    package var attemptsOfHour: Int
    package var failedOfHour: Int
    package var latencyMicroseconds: HistogramCounts
    /// Number of records that were not read for it yet, and of events that wait.
    package var lag: UInt64
    /// Age in seconds of the first event that is neither delivered nor blocked by a dead one.
    package var oldestSeconds: Double
    /// Why the state or the store cannot be read; nil when they can.
    package var trouble: String?

    /// The status as the instance knows it that may serve the destination.
    ///
    /// - Parameters:
    ///   - figures: those of its plan; nil where another instance serves it.
    ///   - last: the store's last record.
    ///   - now: microseconds of the wall clock.
    init(
        _ name: String, url: String?, _ figures: PlanFigures?, _ health: DeliveryHealth,
        last: UInt64, now: Int64
    ) {
        self.name = name
        self.url = url
        self.figures = figures
        isServed = figures != nil
        (counters, lastFailure) = (health.counters, health.lastFailure)
        (failing, trouble) = (health.failures > 0, health.trouble)
        (attemptsOfHour, failedOfHour) = health.lastHour(now: now)
        latencyMicroseconds = health.latency.read()
        let unread = figures.map { last - min(last, $0.position) } ?? 0
        lag = unread + UInt64(figures?.waiting ?? 0)
        let age = figures?.oldestReceived.map { max(0, now - $0) } ?? 0
        oldestSeconds = Double(age) / 1e6
    }

    /// Fills in what the state holds of a destination that another instance serves.
    ///
    /// - Parameters:
    ///   - last: the store's last record.
    ///   - now: microseconds of the wall clock.
    mutating func fill(from stored: StoredDestination, last: UInt64, now: Int64) {
        servedBy = stored.servedBy
        figures = PlanFigures(
            position: stored.cursor, waiting: stored.waiting, dead: stored.dead,
            inFlight: 0, limit: 0, pause: stored.pause, breaker: .closed,
            oldestReceived: stored.oldestReceived)
        lag = last - min(last, stored.cursor) + UInt64(stored.waiting)
        let age = stored.oldestReceived.map { max(0, now - $0) } ?? 0
        oldestSeconds = Double(age) / 1e6
    }
}
