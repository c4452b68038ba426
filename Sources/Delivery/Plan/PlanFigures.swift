/// Figures of a destination at one moment.
package struct PlanFigures: Sendable, Equatable {
    /// The last record of the feed that was taken.
    package var position: UInt64
    /// Events that were read and not delivered, including the dead ones.
    package var waiting: Int
    package var dead: Int
    package var inFlight: Int
    /// Largest number of requests in flight at the present pace.
    package var limit: Int
    package var pause: PauseReason?
    package var breaker: BreakerState
    /// Nothing is sent before this time, because the destination asked for a pause
    /// (`Retry-After`), in microseconds since 1970.
    package var heldUntil: Int64 = 0
    /// When the first event was received that is neither delivered nor blocked by a dead one, in
    /// microseconds since 1970.
    package var oldestReceived: Int64?
}

/// The state of a breaker, for metrics and lists.
package enum BreakerState: String, Sendable, CaseIterable {
    case closed
    case open
    case probing

    init(_ breaker: Pace.Breaker) {
        switch breaker {
        case .closed: self = .closed
        case .open: self = .open
        case .probing: self = .probing
        }
    }
}

/// Why a destination receives nothing.
package enum PauseReason: String, Sendable, Equatable {
    /// An operator paused it.
    case command
    /// It answered 410.
    case gone
}
