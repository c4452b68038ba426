import Payments

/// Stops asking a provider that does not answer, except for a probe from time to time. (The pause
/// that a provider asks for by `Retry-After` is in ``TokenBucket``.)
///
/// | breaker | what is asked | a failure | an answer |
/// |---|---|---|---|
/// | closed | everything | counts; enough in a row open it | resets the count |
/// | open | nothing until its time is over, then a probe | – | closes it |
/// | probing | nothing else | of the probe: opens it again | closes it |
struct InquiryBreaker: Sendable, Equatable {
    enum State: Sendable, Equatable {
        case closed
        case open(until: Int64)
        case probing(ExactText)
    }

    private(set) var state = State.closed
    private var failures = 0
    private let failuresMax: Int
    private let pause: Int64

    init(failuresMax: Int, seconds: Double) {
        self.failuresMax = failuresMax
        pause = Int64(seconds * 1e6)
    }

    var isClosed: Bool { state == .closed }

    /// The time until which nothing is asked, `.max` during a probe; nil when something may be. If
    /// the clock is set back, the pause does not become longer.
    mutating func quiet(now: Int64) -> Int64? {
        switch state {
        case .probing: return .max
        case .open(let until) where until > now:
            let end = min(until, now + pause)
            state = .open(until: end)
            return end
        case .open, .closed: return nil
        }
    }

    /// Records that a question is asked. With an open breaker it is the probe.
    mutating func ask(_ reference: String) {
        if case .open = state { state = .probing(ExactText(reference)) }
    }

    mutating func succeed() {
        failures = 0
        state = .closed
    }

    mutating func fail(_ reference: String, now: Int64) {
        switch state {
        case .closed:
            failures += 1
            if failures >= failuresMax { open(now) }
        case .probing(ExactText(reference)): open(now)
        case .open, .probing: break
        }
    }

    /// Records that a question ended without an outcome: a probe is asked again.
    mutating func forget(_ reference: String) {
        if state == .probing(ExactText(reference)) { state = .open(until: 0) }
    }

    private mutating func open(_ now: Int64) {
        state = .open(until: now + pause)
        failures = 0
    }
}
