/// The bounds of delivery, the same for each destination. What goes beyond those of events waits
/// in the store.
package struct DeliveryLimits: Sendable, Equatable {
    /// Events of a destination that were read and are neither delivered nor kept in the state.
    package var windowEventsMax = 4096
    /// The bytes of their records in memory.
    package var windowBytesMax = 8 << 20
    /// Events of a destination that wait for a retry, for one before them, or for a person.
    package var waitingEventsMax = 50_000
    /// Attempts of each destination that are remembered.
    package var attemptsMax = 10_000
    /// So many orders in a row that fail open the breaker.
    package var breakerOrdersMax = 20
    /// What `Retry-After` may ask for at most.
    package var retryAfterSecondsMax = 3600.0
    /// From the start of an attempt until it is connected, TLS included. The
    /// destination's own timeout may be shorter.
    package var connectSecondsMax = 10.0
    /// Of an answer's body: what is read. A longer one fails the attempt.
    package var answerBytesMax = 1 << 20
    /// Of an answer's head: what is read. A longer one fails the attempt.
    package var answerHeadBytesMax = 64 << 10
    /// Of an answer's body: what is remembered with the attempt.
    package var excerptBytesMax = 512
    /// Connections that are kept open though no request uses them, of all destinations together.
    package var idleConnectionsMax = 256
    /// What was delivered within this time is delivered again after a crash.
    package var stateSecondsMax = 1.0
    /// How long a stop waits for answers.
    package var drainSecondsMax = 5.0

    package init() {}
}
