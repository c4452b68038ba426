/// The bounds of delivery, for each destination. What goes beyond them waits in the store.
package struct DeliveryLimits: Sendable, Equatable {
    /// Events that were read and are neither told nor kept in the state.
    package var windowEventsMax = 4096
    /// The bytes of records in memory.
    package var windowBytesMax = 8 << 20
    /// Events that wait for a retry, for one before them, or for a person.
    package var waitingEventsMax = 50_000
    /// So many orders in a row that fail open the breaker.
    package var breakerOrders = 20
    /// What `Retry-After` may ask for at most.
    package var retryAfterSecondsMax: Double = 3600
    /// What was told within this time is told again after a crash.
    package var stateSeconds: Double = 1
    /// Attempts of each destination that are remembered.
    package var attemptsMax = 10_000
    /// How long a stop waits for answers.
    package var drainSeconds: Double = 5

    package init() {}
}
