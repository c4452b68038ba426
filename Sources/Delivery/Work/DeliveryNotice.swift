import Platform

/// What a person should hear of a destination, as a line of the log: one for each cause, not one
/// for each event.
package enum DeliveryNotice: Sendable, Equatable {
    case breakerOpened(reason: String)
    case breakerClosed
    /// It answered 410.
    case gone
    /// The attempts of an event are used up.
    case dead(sequence: UInt64, endpoint: String, reference: String, reason: String)
    /// Retention has deleted records before they were delivered.
    case gap(ClosedRange<UInt64>)
    /// The state belongs to another store and is restarted.
    case begunAnew(formerStore: String)
    /// The store ends before the position: its end was lost.
    case positionAhead(position: UInt64, last: UInt64)
    case unreadable(String)
    case stateFailed(String)
    case leaseTaken
    case leaseLost

    /// Whether it needs attention.
    package var isWarning: Bool {
        switch self {
        case .breakerClosed, .leaseTaken: false
        default: true
        }
    }

    package var sentence: String {
        switch self {
        case .breakerOpened(let reason):
            "every attempt fails (\(reason)): paused, and probed from time to time"
        case .breakerClosed: "answers again"
        case .gone: "answered 410: paused until `ipnd deliveries resume`"
        case .dead(let sequence, let endpoint, let reference, let reason):
            "event \(sequence) of order \(endpoint)/\(reference) is a dead letter (\(reason)): "
                + "the order's later events wait for `ipnd deliveries retry`"
        case .gap(let range):
            "records \(range.lowerBound) to \(range.upperBound) were deleted by retention before "
                + "they were delivered"
        case .begunAnew(let store):
            "the delivery state belongs to the store \(store): delivery starts again"
        case .positionAhead(let position, let last):
            "delivered up to \(position), the store ends with \(last): going on from there"
        case .unreadable(let reason): "the store's records cannot be read: \(reason)"
        case .stateFailed(let reason):
            "the delivery state cannot be used, what is delivered may be delivered again: \(reason)"
        case .leaseTaken: "this instance delivers to it"
        case .leaseLost:
            "this instance delivers to it no longer: its lease could not be renewed, or another "
                + "one has taken it"
        }
    }
}

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

/// The state of one destination.
package struct DestinationStatus: Sendable, Equatable {
    package var name: String
    /// Whether this instance serves it; without it the figures are missing.
    package var isServed: Bool
    /// Host and process of the instance that serves it, if the state has it.
    package var servedBy: String?
    package var figures: PlanFigures?
    package var counters: DeliveryCounters
    package var latencyMicroseconds: HistogramCounts
    /// Records of the store that were not read for it yet, and those that wait.
    package var lag: UInt64
    /// The age of the first event that is neither delivered nor behind a dead one, in seconds.
    package var oldestSeconds: Double
    /// Why the state or the store cannot be read; nil when they can.
    package var trouble: String?
}

extension DestinationStatus {
    /// Takes over what the state tells of a destination that another instance serves.
    ///
    /// - Parameters:
    ///   - last: the store's last record.
    ///   - now: microseconds of the wall clock.
    mutating func take(_ standing: DestinationStanding, last: UInt64, now: Int64) {
        servedBy = standing.servedBy
        figures = PlanFigures(
            position: standing.cursor, waiting: standing.waiting, dead: standing.dead,
            inFlight: 0, limit: 0, pause: standing.pause, breaker: .closed,
            oldestReceived: standing.oldestReceived)
        lag = last - min(last, standing.cursor) + UInt64(standing.waiting)
        let age = standing.oldestReceived.map { max(0, now - $0) } ?? 0
        oldestSeconds = Double(age) / 1e6
    }
}
