/// The limit on an endpoint's questions over a longer time.
struct TokenBucket: Sendable {
    private let perSecond: Double
    private let burst: Double
    private var tokens: Double
    private var filled: Int64
    /// The end of the pause that the provider asked for.
    private var quietEnd: Int64 = .min

    /// Starts with one token, however many it can hold: restarts do not get around the limit.
    ///
    /// - Parameter now: In microseconds, of a clock that only rises.
    init(perSecond: Double, now: Int64) {
        self.perSecond = perSecond
        burst = max(1, perSecond)
        tokens = 1
        filled = now
    }

    /// Takes a token, or returns the seconds until there is one.
    mutating func take(now: Int64) -> Double? {
        fill(now)
        let quiet = quietEnd > now ? Double(quietEnd - now) / 1e6 : 0
        guard tokens >= 1, quiet == 0 else { return max(quiet, (1 - tokens) / perSecond) }
        tokens -= 1
        return nil
    }

    /// Gives no tokens for that time, because the provider asks for a pause. A longer pause stays.
    mutating func rest(seconds: Double, now: Int64) {
        quietEnd = max(quietEnd, now + Int64(max(0, seconds) * 1e6))
    }

    /// Takes a token even if there is none: a person does not wait, the schedule waits longer
    /// instead. At the bound of the debt it returns the seconds until the next token.
    mutating func borrow(now: Int64) -> Double? {
        fill(now)
        let least = 1 - Self.debtMax * burst
        guard tokens >= least else { return (least - tokens) / perSecond }
        tokens -= 1
        return nil
    }

    /// Largest debt, as a multiple of the bucket's size.
    private static let debtMax = 2.0

    private mutating func fill(_ now: Int64) {
        tokens = min(burst, tokens + Double(max(0, now - filled)) / 1e6 * perSecond)
        filled = now
    }
}
