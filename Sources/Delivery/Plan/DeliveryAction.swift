/// The next step of a plan.
package enum DeliveryAction: Sendable, Equatable {
    /// Send the event; the number counts its attempts from 1.
    case send(UInt64, attempt: Int)
    /// Do nothing until then, in microseconds since 1970; nil for no fixed time.
    case wait(until: Int64?)
}

/// The effect of an outcome on its event.
package enum AttemptResult: Sendable, Equatable {
    case delivered
    /// The next attempt is due then, in microseconds since 1970.
    case retry(due: Int64)
    /// It was the last attempt.
    case dead
    /// It failed without using up one of the event's attempts.
    case notCounted
}
