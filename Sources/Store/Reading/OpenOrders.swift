import Payments

/// Unsettled or doubtful orders, by their last change. A store has an index of them, so that the
/// settled ones, nearly all, are never read.
package protocol OpenOrders: Sendable {
    /// The last record in the index.
    func sequence() async throws(ReadFailure) -> UInt64

    /// The last change of the open order of `endpoint` that is unchanged for longest; nil without
    /// any.
    func oldestOpen(_ endpoint: String) async throws(ReadFailure) -> Timestamp?

    /// The open orders of an endpoint within `spans`, one span after the other, at most `limit`.
    func open(_ query: OpenOrderQuery) async throws(ReadFailure) -> OpenOrderPage
}

/// A query for open orders.
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

/// A period in which orders changed last, exclusive of its beginning and inclusive of its end.
package struct OpenOrderSpan: Sendable, Equatable {
    package var after: Timestamp
    package var through: Timestamp
    /// Of the orders that changed exactly at `after`, only those with a greater first sequence.
    package var afterFirst: UInt64

    package init(after: Timestamp, through: Timestamp, afterFirst: UInt64 = .max) {
        self.after = after
        self.through = through
        self.afterFirst = afterFirst
    }
}

/// The properties of an open order that an inquiry needs.
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

    /// The statuses of open orders: `review` covers every doubt that an answer may settle.
    package static let statuses: [OrderStatus] = [.pending, .authorized, .review]

    /// The flags of what an answer may add to an order of any status.
    package static let flags: [Flag] = [.unconfirmed, .amountUnknown]

    /// Whether an answer may still change an order. A failed order may be tried again until it
    /// expires: the success of a second attempt may be lost like any other notification. Whatever
    /// an order's status is, a payment may wait in it for the provider's confirmation (a dispute of
    /// it may have come first, or another payment was confirmed), or a sum may be missing that no
    /// notification names.
    ///
    /// A store's index holds failed orders that changed last before their expiry; this check finds
    /// whether that has passed.
    package static func isOpen(
        _ status: OrderStatus, flags: [Flag], expires: Timestamp?, now: Timestamp
    ) -> Bool {
        if statuses.contains(status) || flags.contains(where: Self.flags.contains) { return true }
        guard status == .failed, let expires else { return false }
        return now < expires
    }
}

/// Open orders, and the rest of the spans.
package struct OpenOrderPage: Sendable, Equatable {
    package var orders: [OpenOrder]
    /// The part of the spans beyond the limit; empty if everything was read.
    package var rest: [OpenOrderSpan]

    /// - Parameters:
    ///   - found: The orders of each span, ascending, in the order of the query's spans.
    ///   - query: Its limit counts over all spans; `found` may end with the span that reached it.
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
