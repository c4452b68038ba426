import Payments

/// Orders of which more is to come, or about which there is doubt, by when they changed last. A
/// store has an index of them: the settled ones, nearly all, are never looked at.
package protocol OpenOrders: Sendable {
    /// The last record that is known here.
    func sequence() async throws(ReadFailure) -> UInt64

    /// When the open order of `endpoint` that changed the longest ago did so; nil when there is
    /// none.
    func oldestOpen(_ endpoint: String) async throws(ReadFailure) -> Timestamp?

    /// The open orders of an endpoint within `spans`, one span after the other, `limit` at most.
    func open(_ query: OpenOrderQuery) async throws(ReadFailure) -> OpenOrderPage
}

/// Which open orders are wanted.
package struct OpenOrderQuery: Sendable, Equatable {
    package var endpoint: String
    package var spans: [OpenOrderSpan]
    /// Only orders that changed last, or expire, at this time or later.
    package var activeSince: Timestamp
    package var limit: Int

    package init(
        endpoint: String, spans: [OpenOrderSpan], activeSince: Timestamp, limit: Int
    ) {
        self.endpoint = endpoint
        self.spans = spans
        self.activeSince = activeSince
        self.limit = limit
    }
}

/// A time in which orders changed last, without its beginning and with its end.
package struct OpenOrderSpan: Sendable, Equatable {
    package var after: Timestamp
    package var through: Timestamp
    /// Of the orders that changed exactly at `after`, those whose first sequence is greater.
    package var afterFirst: UInt64

    package init(after: Timestamp, through: Timestamp, afterFirst: UInt64 = .max) {
        self.after = after
        self.through = through
        self.afterFirst = afterFirst
    }
}

/// An open order, as far as somebody who wants to ask about it needs it.
package struct OpenOrder: Sendable, Equatable {
    /// The first record that named it, and the last.
    package var first: UInt64
    package var last: UInt64
    package var reference: String
    /// When the last record was received.
    package var updated: Timestamp
    package var expires: Timestamp?

    package init(
        first: UInt64, last: UInt64, reference: String, updated: Timestamp, expires: Timestamp?
    ) {
        self.first = first
        self.last = last
        self.reference = reference
        self.updated = updated
        self.expires = expires
    }

    /// The statuses of open orders: `review` stands for every doubt that an answer may settle.
    package static let statuses: [OrderStatus] = [.pending, .authorized, .review]

    /// Whether something may still come of an order. One that failed may be tried again until it
    /// expires: the success of a second try may be lost as any other.
    ///
    /// A store's index holds failed orders that changed last before their expiry; whoever asks sees
    /// by this that it has passed.
    package static func isOpen(
        _ status: OrderStatus, expires: Timestamp?, now: Timestamp
    ) -> Bool {
        if statuses.contains(status) { return true }
        guard status == .failed, let expires else { return false }
        return now < expires
    }
}

/// Open orders, and what is left of the spans.
package struct OpenOrderPage: Sendable, Equatable {
    package var orders: [OpenOrder]
    /// What was not read, because there were too many; empty when everything was.
    package var rest: [OpenOrderSpan]

    /// - Parameters:
    ///   - found: Those of each span, ascending, in the order of the query's spans.
    ///   - query: Its limit counts over all spans; `found` may end with the span that met it.
    package init(_ found: [[OpenOrder]], of query: OpenOrderQuery) {
        orders = []
        rest = []
        for (number, span) in query.spans.enumerated() {
            let room = query.limit - orders.count
            guard room > 0, number < found.count else {
                rest.append(span)
                continue
            }
            let part = found[number].prefix(room)
            orders += part
            guard part.count == room, let last = part.last else { continue }
            rest.append(
                OpenOrderSpan(after: last.updated, through: span.through, afterFirst: last.first))
        }
    }
}
