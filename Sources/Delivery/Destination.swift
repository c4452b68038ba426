/// A system of the merchant's that is told what happened to orders, and how patiently. Where it is
/// and what signs the messages is the transport's business.
package struct Destination: Sendable, Equatable {
    /// Its name in the state, in metrics and commands; what was delivered is kept under it.
    package var name: String
    package var filter: DestinationFilter
    /// The pauses before the next attempts, in seconds, each with full jitter. When they are used
    /// up, the order's events are dead letters.
    package var retrySeconds: [Double]
    /// How long the whole destination is left alone before it is probed again.
    package var breakerSeconds: Double
    /// How long one attempt may take.
    package var timeoutSeconds: Double
    /// Requests in flight at most, one per order.
    package var concurrency: Int
    /// Records up to this one are never delivered: for a new destination after a long history.
    package var startsAfter: UInt64

    /// The schedule that Standard Webhooks recommends.
    package static let retrySecondsDefault: [Double] =
        [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]

    package init(
        name: String, filter: DestinationFilter = DestinationFilter(),
        retrySeconds: [Double] = Destination.retrySecondsDefault, breakerSeconds: Double = 30,
        timeoutSeconds: Double = 20, concurrency: Int = 64, startsAfter: UInt64 = 0
    ) {
        self.name = name
        self.filter = filter
        self.retrySeconds = retrySeconds
        self.breakerSeconds = breakerSeconds
        self.timeoutSeconds = timeoutSeconds
        self.concurrency = concurrency
        self.startsAfter = startsAfter
    }
}

/// Which events a destination receives. Nil means all.
package struct DestinationFilter: Sendable, Equatable {
    package var endpoints: Set<String>?
    /// The order's statuses after the event, as records spell them.
    package var statuses: Set<String>?
    /// The events' kinds, as records spell them.
    package var kinds: Set<String>?

    package init(
        endpoints: Set<String>? = nil, statuses: Set<String>? = nil, kinds: Set<String>? = nil
    ) {
        self.endpoints = endpoints
        self.statuses = statuses
        self.kinds = kinds
    }

    /// Whether an event is delivered. A filter by the status of orders passes no agreement.
    package func admits(_ event: FeedEvent) -> Bool {
        endpoints?.contains(event.endpoint) ?? true
            && statuses?.contains(event.isAgreement ? "" : event.status) ?? true
            && kinds?.contains(event.kind) ?? true
    }
}
