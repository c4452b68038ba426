/// When a provider is asked about an order by itself, and within which limits. All times are in
/// seconds.
package struct InquirySchedule: Sendable, Equatable {
    /// When to ask, counted from the expectation or the last word about the order, ascending.
    /// Empty: only on demand.
    package var schedule: [Double] = [60, 120, 300, 900, 3600, 21_600]
    /// Afterwards, again and again after so long.
    package var repeatSeconds = 86_400.0
    /// How many days after the order's expiry, or after the last word where that is later, it is
    /// still asked about.
    package var daysAfterExpiry = 30
    /// Each question comes later by up to this part of its time in the schedule, and by
    /// `jitterSecondsMax` at most.
    package var jitter = 0.1
    /// Of every question to this endpoint, over a longer time; those of a second may come at once.
    package var secondsPerQuestion = 0.2
    /// Two questions about one order are at least so far apart; nil: as far as the system's own
    /// ``InquiryDescriptor/pauseSeconds`` says.
    package var secondsPerOrder: Double?
    /// Questions in flight.
    package var concurrency = 4
    /// How many questions must fail in a row before the provider counts as down, and how long it is
    /// then left alone before it is asked again.
    package var breakerQuestions = 5
    package var breakerSeconds = 60.0
    /// What `Retry-After` may ask for at most.
    package var retryAfterSecondsMax = 3600.0
    /// Orders that wait in memory for their turn; the others wait in the store.
    package var waitingOrdersMax = 10_000

    package static let jitterSecondsMax = 600.0

    package init() {}

    /// Whether anything is asked without being told to.
    package var isAutomatic: Bool { !schedule.isEmpty }
}
