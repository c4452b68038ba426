import Providers
import Store

/// Everything that a service remembers between two questions: access tokens, the limits of each
/// endpoint and order, and counters. Times are in microseconds, of a clock that only rises.
struct InquiryState {
    private(set) var targets: [String: InquiryTarget]
    /// Access tokens that conversations have fetched, by endpoint.
    private var accessTokens: [String: InquiryToken] = [:]
    private var pace = InquiryPace()
    private var buckets: [String: TokenBucket] = [:]
    private var counted: [String: InquiryCounters] = [:]

    init(targets: [String: InquiryTarget]) { self.targets = targets }

    mutating func replace(_ targets: [String: InquiryTarget]) {
        // A new rate starts with a new bucket. Otherwise the bucket stays, so that rereading the
        // configuration does not get around the limit.
        buckets = buckets.filter { endpoint, _ in
            targets[endpoint]?.schedule.secondsPerQuestion
                == self.targets[endpoint]?.schedule.secondsPerQuestion
        }
        self.targets = targets
        // They may belong to another account.
        accessTokens = [:]
    }

    // MARK: Limits

    /// The way in which a question counts against the endpoint's limit.
    enum Allowance {
        /// A token was taken before.
        case taken
        case take
        /// May exceed the limit, for a question that a person asks.
        case borrow
    }

    enum Turn {
        case now(InquiryTarget)
        case later(seconds: Double)
        case notConfigured
    }

    /// Takes the right to ask about an order. The order's own pause is checked first, so that a
    /// question that has to wait for it takes no token.
    mutating func turn(_ name: OrderName, _ allowance: Allowance, now: Int64) -> Turn {
        guard let target = targets[name.endpoint] else { return .notConfigured }
        let place = InquiryPace.OrderPlace(endpoint: name.endpoint, reference: name.reference)
        if let seconds = pace.left(for: place, pauseSeconds: target.pauseSeconds, now: now) {
            return .later(seconds: seconds)
        }
        let wait: Double? =
            switch allowance {
            case .taken: nil
            case .take: takeToken(name.endpoint, now: now)
            case .borrow: withBucket(name.endpoint, now: now) { $0.borrow(now: $1) }
            }
        if let wait { return .later(seconds: wait) }
        pace.note(place, now: now)
        return .now(target)
    }

    /// Takes a token of the endpoint's limit, or returns the seconds until there is one.
    mutating func takeToken(_ endpoint: String, now: Int64) -> Double? {
        withBucket(endpoint, now: now) { $0.take(now: $1) }
    }

    /// Takes no tokens for that time: the provider asked for a pause.
    mutating func pause(_ endpoint: String, seconds: Double, now: Int64) {
        withBucket(endpoint, now: now) { $0.rest(seconds: seconds, now: $1) }
    }

    private mutating func withBucket<Result>(
        _ endpoint: String, now: Int64, _ body: (inout TokenBucket, Int64) -> Result
    ) -> Result {
        let perSecond = 1 / (targets[endpoint]?.schedule.secondsPerQuestion ?? 1)
        return body(&buckets[endpoint, default: TokenBucket(perSecond: perSecond, now: now)], now)
    }

    // MARK: Answers

    func accessToken(of endpoint: String) -> InquiryToken? { accessTokens[endpoint] }

    mutating func keep(_ token: InquiryToken, of endpoint: String) {
        accessTokens[endpoint] = token
    }

    /// The counters of each endpoint that can be asked.
    var counters: [String: InquiryCounters] {
        targets.mapValues { counted[$0.endpoint] ?? InquiryCounters() }
    }

    mutating func count(_ report: InquiryReport, at endpoint: String) {
        counted[endpoint, default: .init()].count(report)
    }

    mutating func countNotStored(at endpoint: String) {
        counted[endpoint, default: .init()].notStored += 1
    }
}
