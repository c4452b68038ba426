/// The breaker of a destination, and its number of concurrent requests.
///
/// | breaker | what is sent | a failure | a success |
/// |---|---|---|---|
/// | closed | up to `limit` at a time | counts; enough orders in a row open it | resets the count |
/// | open | nothing until its time is over, then a probe | does not count | closes it |
/// | probing | nothing | of the probe: opens it again, does not count | closes it |
///
/// The limit is halved when the destination answers that it is overloaded, once for all requests
/// that were in flight then. It grows by one after `limit` successes.
struct Pace: Sendable {
    enum Breaker: Sendable, Equatable {
        case closed
        case open(until: Int64)
        case probing(UInt64)
    }

    private(set) var breaker = Breaker.closed
    /// Largest number of requests in flight.
    private(set) var limit: Int
    /// Nothing is sent before this time: the destination asked for a pause.
    private(set) var notBefore: Int64 = 0
    /// The orders that failed since the last success.
    private var failed: Set<Int> = []
    private var successes = 0
    private var slowed: Int64 = 0
    private let limitMax: Int
    private let breakerOrders: Int
    private let breakerMicroseconds: Int64
    private let pauseMax: Int64

    init(_ destination: DeliveryDestination, _ limits: DeliveryLimits) {
        limit = destination.concurrency
        limitMax = destination.concurrency
        breakerOrders = limits.breakerOrdersMax
        breakerMicroseconds = Int64(destination.breakerSeconds * 1e6)
        pauseMax = Int64(limits.retryAfterSecondsMax * 1e6)
    }

    var isClosed: Bool { breaker == .closed }

    /// The time until which nothing is sent; nil when something may be. If the clock is set back,
    /// the pause does not become longer.
    mutating func quiet(now: Int64) -> Int64? {
        if case .open(let until) = breaker, until > now {
            let end = min(until, now + breakerMicroseconds)
            breaker = .open(until: end)
            return end
        }
        guard notBefore > now else { return nil }
        notBefore = min(notBefore, now + pauseMax)
        return notBefore
    }

    /// Makes the request `sequence` the probe of an open breaker.
    mutating func probe(with sequence: UInt64) { breaker = .probing(sequence) }

    mutating func succeed() {
        breaker = .closed
        failed.removeAll()
        successes += 1
        if successes >= limit, limit < limitMax {
            limit += 1
            successes = 0
        }
    }

    /// Records that an attempt of the order `lane` failed. Returns whether it counts.
    mutating func fail(_ sequence: UInt64, of lane: Int, now: Int64) -> Bool {
        switch breaker {
        case .closed:
            failed.insert(lane)
            if failed.count >= breakerOrders { open(now) }
            return true
        case .probing(sequence):
            open(now)
            return false
        case .open, .probing: return false
        }
    }

    /// Records that the attempt `sequence` ended without an outcome: a probe is sent again.
    mutating func forget(_ sequence: UInt64) {
        if breaker == .probing(sequence) { breaker = .open(until: 0) }
    }

    /// Slows down: the destination answered a request sent at `sent` that it is overloaded.
    mutating func slow(sent: Int64, now: Int64, pause: Int64) {
        notBefore = max(notBefore, now + pause)
        guard sent >= slowed else { return }
        slowed = now
        limit = max(1, limit / 2)
        successes = 0
    }

    /// Closes the breaker and ends the pause, on an operator's command.
    mutating func reset() {
        breaker = .closed
        failed.removeAll()
        notBefore = 0
    }

    private mutating func open(_ now: Int64) {
        breaker = .open(until: now + breakerMicroseconds)
        failed.removeAll()
    }
}
