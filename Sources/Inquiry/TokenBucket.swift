/// How many questions an endpoint is asked over a longer time.
struct TokenBucket: Sendable {
    private let perSecond: Double
    private let burst: Double
    private var tokens: Double
    private var filled: Int64
    /// The provider has asked for silence until then.
    private var quietEnd: Int64 = .min

    /// It begins with one token, whatever it holds later: many restarts are no way around it.
    ///
    /// - Parameter now: In microseconds, of a clock that only rises.
    init(perSecond: Double, now: Int64) {
        self.perSecond = perSecond
        burst = max(1, perSecond)
        tokens = 1
        filled = now
    }

    /// Takes a token, or says how many seconds are left until there is one.
    mutating func take(now: Int64) -> Double? {
        fill(now)
        let quiet = quietEnd > now ? Double(quietEnd - now) / 1e6 : 0
        guard tokens >= 1, quiet == 0 else { return max(quiet, (1 - tokens) / perSecond) }
        tokens -= 1
        return nil
    }

    /// Nobody takes a token for so long: the provider asks for a pause. A longer one stays.
    mutating func rest(seconds: Double, now: Int64) {
        quietEnd = max(quietEnd, now + Int64(max(0, seconds) * 1e6))
    }

    /// Takes a token that need not be there: a person does not wait, the schedule does for them.
    /// The debt is bounded: then it says how many seconds are left.
    mutating func borrow(now: Int64) -> Double? {
        fill(now)
        let least = 1 - Self.debtMax * burst
        guard tokens >= least else { return (least - tokens) / perSecond }
        tokens -= 1
        return nil
    }

    /// What may be borrowed, as a multiple of what the bucket holds.
    private static let debtMax = 2.0

    private mutating func fill(_ now: Int64) {
        tokens = min(burst, tokens + Double(max(0, now - filled)) / 1e6 * perSecond)
        filled = now
    }
}
