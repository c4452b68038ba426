/// A system of the merchant's that receives events, and the policy by which they are delivered to
/// it. Its URL and its signing key belong to the transport.
package struct DeliveryDestination: Sendable, Equatable {
    /// Its name in the state, in metrics and in commands. Another name is another destination,
    /// which starts from `startsAfter`.
    package var name: String
    package var filter: DestinationFilter
    /// Pauses before the next attempts, in seconds, each with full jitter. When they are used up,
    /// the event is a dead letter.
    package var retrySeconds: [Double]
    /// Pause of the whole destination before it is probed again.
    package var breakerSeconds: Double
    /// Longest duration of one attempt.
    package var timeoutSeconds: Double
    /// Largest number of requests in flight, one per order.
    package var concurrency: Int
    /// Records up to this one are never delivered: for a new destination after a long history.
    package var startsAfter: UInt64

    /// The schedule that Standard Webhooks recommends.
    package static let retrySecondsDefault: [Double] =
        [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]

    package init(
        name: String, filter: DestinationFilter = DestinationFilter(),
        retrySeconds: [Double] = DeliveryDestination.retrySecondsDefault,
        breakerSeconds: Double = 30, timeoutSeconds: Double = 20, concurrency: Int = 64,
        startsAfter: UInt64 = 0
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

/// The events that a destination receives. Nil means all.
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
