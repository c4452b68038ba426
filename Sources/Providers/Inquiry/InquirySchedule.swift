/// The schedule of automatic questions about orders, and their limits. All times are in seconds.
package struct InquirySchedule: Sendable, Equatable {
    /// Times of the questions after the expectation or the last event of the order, ascending.
    /// Empty: only on demand.
    package var schedule: [Double] = [60, 120, 300, 900, 3600, 21_600]
    /// Interval of the questions after the schedule's last.
    package var repeatSeconds = 86_400.0
    /// Days in which questions continue after the order's expiry or its last event, whichever is
    /// later.
    package var daysAfterExpiry = 30
    /// Fraction of its time by which a question may be delayed, by at most `jitterSecondsMax`.
    package var jitter = 0.1
    /// Average interval of all questions to this endpoint; the questions of one second may be sent
    /// at once.
    package var secondsPerQuestion = 0.2
    /// Minimum interval of two questions about one order; nil: the system's own
    /// ``InquiryDescriptor/pauseSeconds``.
    package var secondsPerOrder: Double?
    /// Maximum number of questions in flight.
    package var concurrency = 4
    /// Number of consecutive failed questions after which the provider counts as down, and the
    /// pause before it is asked again.
    package var breakerQuestions = 5
    package var breakerSeconds = 60.0
    /// Maximum delay that is accepted from `Retry-After`.
    package var retryAfterSecondsMax = 3600.0
    /// Maximum number of orders that wait in memory; the others wait in the store.
    package var waitingOrdersMax = 10_000

    package static let jitterSecondsMax = 600.0

    package init() {}

    /// Whether questions are asked automatically.
    package var isAutomatic: Bool { !schedule.isEmpty }
}
