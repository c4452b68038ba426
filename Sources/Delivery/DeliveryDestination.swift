/// A system of the merchant's that receives events, and the policy by which they are delivered to
/// it. Its URL and its signing key belong to the transport.
package struct DeliveryDestination: Sendable, Equatable {
    /// Its name in the state, in metrics and in commands. Another name is another destination,
    /// which starts from `start`.
    package var name: String
    package var filter: DestinationFilter
    /// Pauses before the next attempts, in seconds, each shorter by chance by up to a half. When
    /// they are used up, the event is a dead letter.
    package var retrySeconds: [Double]
    /// Pause of the whole destination before it is probed again.
    package var breakerSeconds: Double
    /// Longest duration of one attempt.
    package var timeoutSeconds: Double
    /// Largest number of requests in flight, one per order.
    package var concurrency: Int
    /// Where it begins when it is new.
    package var start: DeliveryStart

    /// The schedule that Standard Webhooks recommends.
    package static let retrySecondsDefault: [Double] =
        [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]

    package init(
        name: String, filter: DestinationFilter = DestinationFilter(),
        retrySeconds: [Double] = DeliveryDestination.retrySecondsDefault,
        breakerSeconds: Double = 30, timeoutSeconds: Double = 20, concurrency: Int = 64,
        start: DeliveryStart = .beginning
    ) {
        self.name = name
        self.filter = filter
        self.retrySeconds = retrySeconds
        self.breakerSeconds = breakerSeconds
        self.timeoutSeconds = timeoutSeconds
        self.concurrency = concurrency
        self.start = start
    }
}

/// Where a new destination begins. Once it has begun, its position counts.
package enum DeliveryStart: Sendable, Equatable {
    /// With what is recorded from now on: a shop that is connected later does not get the orders of
    /// years in a few seconds.
    case now
    /// With the first record.
    case beginning
    /// With this record.
    case sequence(UInt64)

    /// The last record that is not delivered to a new destination.
    ///
    /// - Parameter newest: The last record of the store.
    func cursor(newest: UInt64) -> UInt64 {
        switch self {
        case .now: newest
        case .beginning: 0
        case .sequence(let first): first - min(first, 1)
        }
    }

    /// The same for a destination that had begun in another store. It is not new, so the records
    /// of this one are all missing there.
    var cursorInOtherStore: UInt64 { cursor(newest: 0) }
}

/// The events that a destination receives. Nil means all.
package struct DestinationFilter: Sendable, Equatable {
    package var endpoints: Set<String>?
    /// The order's statuses after the event, as records spell them. The event by which an order
    /// leaves one of them passes too.
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
        guard endpoints?.contains(event.endpoint) ?? true else { return false }
        if leavesStatus(event) { return true }
        return statuses?.contains(event.isAgreement ? "" : event.status) ?? true
            && kinds?.contains(event.kind) ?? true
    }

    /// Whether a status that the filter passes is no longer true after the event: without it, the
    /// destination's last information would be `paid` while the order is refunded. The same holds
    /// for an order that is part of this one from the event on, whose status is not known here.
    private func leavesStatus(_ event: FeedEvent) -> Bool {
        guard let statuses, !event.isAgreement else { return false }
        if event.orders.count > 1 { return true }
        guard let previous = event.previous, previous != event.status else { return false }
        return statuses.contains(previous)
    }
}
