import Providers
import Store

/// What a service remembers between two questions.
struct InquiryState {
    var targets: [String: InquiryTarget]
    /// Access tokens that conversations have fetched, by endpoint.
    var tokens: [String: InquiryToken] = [:]
    var pace = InquiryPace()
    private var buckets: [String: TokenBucket] = [:]
    var counters: [String: InquiryCounters] = [:]
    var asked = AskedOnce()

    init(targets: [String: InquiryTarget]) { self.targets = targets }

    mutating func replace(_ targets: [String: InquiryTarget]) {
        // Another rate begins with a bucket of its own; reading the configuration again is no way
        // around the one that stays.
        buckets = buckets.filter { endpoint, _ in
            targets[endpoint]?.schedule.secondsPerQuestion
                == self.targets[endpoint]?.schedule.secondsPerQuestion
        }
        self.targets = targets
        // They may have been another account's.
        tokens = [:]
    }

    /// - Parameter now: In microseconds, of a clock that only rises.
    mutating func withBucket<Result>(
        _ endpoint: String, now: Int64, _ body: (inout TokenBucket, Int64) -> Result
    ) -> Result {
        let perSecond = 1 / (targets[endpoint]?.schedule.secondsPerQuestion ?? 1)
        return body(&buckets[endpoint, default: TokenBucket(perSecond: perSecond, now: now)], now)
    }
}

/// The orders that were asked about for those who wait; the oldest give way.
struct AskedOnce {
    private var names: Set<OrderName> = []
    private var former: Set<OrderName> = []
    /// Twice as many are remembered.
    private static let ordersMax = 10_000

    func contains(_ name: OrderName) -> Bool { names.contains(name) || former.contains(name) }

    mutating func insert(_ name: OrderName) {
        if names.count >= Self.ordersMax {
            former = names
            names = []
        }
        names.insert(name)
    }
}
