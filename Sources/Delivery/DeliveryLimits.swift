/// The bounds of delivery, the same for each destination. Events beyond them wait in the store.
package struct DeliveryLimits: Sendable, Equatable {
    /// Events of a destination that were read and are neither delivered nor kept in the state.
    package var windowEventsMax = 4096
    /// Bytes of their records in memory.
    package var windowBytesMax = 8 << 20
    /// Events of a destination that wait for a retry, for an earlier event, or for an operator.
    package var waitingEventsMax = 50_000
    /// Number of attempts kept for each destination.
    package var attemptsMax = 10_000
    /// Consecutive failed orders that open the breaker.
    package var breakerOrdersMax = 20
    /// Longest pause that `Retry-After` can ask for.
    package var retryAfterSecondsMax = 3600.0
    /// Time to connect, TLS handshake included. The destination's own timeout may be shorter.
    package var connectSecondsMax = 10.0
    /// Bytes of an answer's body that are read. A longer one fails the attempt.
    package var answerBytesMax = 1 << 20
    /// Bytes of an answer's head that are read. A longer one fails the attempt.
    package var answerHeadBytesMax = 64 << 10
    /// Bytes of an answer's body that are kept with the attempt.
    package var excerptBytesMax = 512
    /// Idle connections that are kept open, of all destinations together.
    package var idleConnectionsMax = 256
    /// Interval between two writes of the state. A crash repeats the deliveries of this time.
    package var stateSecondsMax = 1.0
    /// Time that a stop waits for answers.
    package var drainSecondsMax = 5.0

    package init() {}
}
