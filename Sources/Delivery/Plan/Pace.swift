/// How fast a destination is served: its breaker, and its number of concurrent requests.
///
/// | breaker | what is sent | a failure | a success |
/// |---|---|---|---|
/// | closed | up to `limit` at a time | counts; enough orders in a row open it | counts anew |
/// | open | nothing until its time is over, then a probe | does not count | closes it |
/// | probing | nothing | of the probe: opens it again, does not count | closes it |
///
/// The limit is halved when the destination says that it has too much to do, once for all requests
/// that were in flight then, and grows by one with so many successes.
struct Pace: Sendable {
    enum Breaker: Sendable, Equatable {
        case closed
        case open(until: Int64)
        case probing(UInt64)
    }

    private(set) var breaker = Breaker.closed
    /// Requests in flight at most.
    private(set) var limit: Int
    /// Nothing is sent before: the destination has asked for a pause.
    private(set) var notBefore: Int64 = 0
    /// The orders that failed since the last success.
    private var failed: Set<Int> = []
    private var successes = 0
    private var slowed: Int64 = 0
    private let limitMax: Int
    private let breakerOrders: Int
    private let breakerMicroseconds: Int64
    private let pauseMax: Int64

    init(_ destination: Destination, _ limits: DeliveryLimits) {
        limit = destination.concurrency
        limitMax = destination.concurrency
        breakerOrders = limits.breakerOrdersMax
        breakerMicroseconds = Int64(destination.breakerSeconds * 1e6)
        pauseMax = Int64(limits.retryAfterSecondsMax * 1e6)
    }

    var isClosed: Bool { breaker == .closed }

    /// Until when nothing is sent; nil when something may be. A clock that is set back must not
    /// make the pause longer than it was.
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

    /// The request `sequence` is the probe of an open breaker.
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

    /// An attempt of the order `lane` has failed. Returns whether it counts.
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

    /// The attempt `sequence` ended without saying anything of the destination.
    mutating func forget(_ sequence: UInt64) {
        if breaker == .probing(sequence) { breaker = .open(until: 0) }
    }

    /// The destination has too much to do, by its answer to a request that was sent at `sent`.
    mutating func slow(sent: Int64, now: Int64, pause: Int64) {
        notBefore = max(notBefore, now + pause)
        guard sent >= slowed else { return }
        slowed = now
        limit = max(1, limit / 2)
        successes = 0
    }

    /// A person says that it is well again.
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
