import Payments

/// The members of a record that do not come with its submission.
package struct RecordContent: Sendable, Equatable {
    package var sequence: UInt64
    package var outcome: RecordOutcome
    /// The record of the first event of this identity, when this one has other content.
    package var conflictsWith: UInt64?
    /// The order's flags and the notification's, in the order in which `Flag` declares them.
    package var flags: [Flag]
    /// Nil when the record is about no order.
    package var order: OrderChange? {
        get { change.first }
        set { change = newValue.map { [$0] } ?? [] }
    }
    /// None or one. Stored inline it would be most of a decision, which is moved some four times
    /// for each record that a start replays, where no order is described.
    private var change: [OrderChange]

    package init(
        sequence: UInt64, outcome: RecordOutcome, conflictsWith: UInt64? = nil, flags: [Flag],
        order: OrderChange? = nil
    ) {
        self.sequence = sequence
        self.outcome = outcome
        self.conflictsWith = conflictsWith
        self.flags = flags
        change = order.map { [$0] } ?? []
    }
}

/// The outcome of an event. Duplicates are counted, not recorded.
package enum RecordOutcome: String, Sendable {
    /// New; it changed or confirmed its order.
    case recorded
    /// Same identity with other content, or an amount that contradicts what the merchant
    /// registered.
    case conflict
    /// Genuine, but about no order.
    case ignored
}

/// The member `order`: the order after the event.
package struct OrderChange: Sendable, Equatable {
    package var reference: String?
    /// The transaction that the notification named; of an order without a reference the id under
    /// which it is kept.
    package var transaction: String?
    /// Nil when the event was the first that named this order.
    package var previous: OrderStatus?
    package var summary: OrderSummary
    /// The references of orders that are part of this one from now on.
    package var absorbed: [String]
    /// The ids under which parts of it were kept that had no reference.
    package var absorbedIDs: [String]
    /// The references of other orders that claim an id of this one.
    package var rivals: [String]
    /// Other orders that the record has changed.
    package var touched: [Touched]

    /// Another order that changed with the record's.
    package struct Touched: Sendable, Equatable {
        package var reference: String?
        /// Of one without a reference.
        package var id: String?
        /// Its first record, where it begins with this one.
        package var first: UInt64?

        package init(reference: String?, id: String? = nil, first: UInt64? = nil) {
            self.reference = reference
            self.id = id
            self.first = first
        }
    }

    package init(
        reference: String?, transaction: String?, previous: OrderStatus?, summary: OrderSummary,
        absorbed: [String] = [], absorbedIDs: [String] = [], rivals: [String] = [],
        touched: [Touched] = []
    ) {
        self.reference = reference
        self.transaction = transaction
        self.previous = previous
        self.summary = summary
        self.absorbed = absorbed
        self.absorbedIDs = absorbedIDs
        self.rivals = rivals
        self.touched = touched
    }
}

/// The members before the outcome: when a record's event came, and through which endpoint.
package struct RecordOrigin: Sendable, Equatable {
    package var received: Timestamp
    /// The endpoint's name, and that of its provider.
    package var endpoint: String
    package var provider: String
    /// Which of the endpoint's keys or secrets verified the request; nil when there was none.
    package var key: String?
    /// The request's place in a trace, as the header `traceparent` writes it; nil without a trace.
    package var trace: String?

    package init(
        received: Timestamp, endpoint: String, provider: String, key: String?, trace: String? = nil
    ) {
        self.received = received
        self.endpoint = endpoint
        self.provider = provider
        self.key = key
        self.trace = trace
    }
}
