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

/// The place of a record's event in a request that reported several events.
///
/// The request is stored once: the first record of the request's new events holds it, and the
/// others refer to that record.
package struct RecordPart: Sendable, Equatable {
    /// The record that holds the request; nil in that record itself.
    package var holder: UInt64?
    /// The event's number in the request, from 1.
    package var number: Int
    /// Number of events in the request, with those that were recorded before.
    package var count: Int

    package init(holder: UInt64? = nil, number: Int, count: Int) {
        self.holder = holder
        self.number = number
        self.count = count
    }

    /// The same place in a request that `holder` holds; nil when the record holds it itself.
    package func held(by holder: UInt64?) -> RecordPart {
        RecordPart(holder: holder, number: number, count: count)
    }
}

extension RecordWriter {
    /// Writes the member `part` after its comma; nothing when there is none.
    mutating func part(_ part: RecordPart?) {
        guard let part else { return }
        fragment(#","part":{"#)
        if let holder = part.holder {
            fragment(#""of":"#)
            integer(Int64(clamping: holder))
            fragment(",")
        }
        fragment(#""number":"#)
        integer(Int64(part.number))
        fragment(#","count":"#)
        integer(Int64(part.count))
        fragment("}")
    }
}

/// Finds the requests of records that are read in their order.
///
/// The records of one request follow each other, so the last request that several events share is
/// all that it keeps.
package struct RequestFinder {
    private var shared: (sequence: UInt64, request: RecordedRequest)?

    package init() {}

    /// Returns the request of a record; nil when it has none, when it is sealed or erased, or when
    /// the record that holds it was not read: retention may have removed it. Call it for every
    /// record, in order.
    package mutating func request(
        of event: RecordedEvent, _ record: UnsafeRawBufferPointer
    ) throws(RecordError) -> RecordedRequest? {
        if event.hasRequest {
            guard try PersonalPart(of: record) == .open else { return nil }
            let request = try RecordDecoder.request(record)
            if event.part != nil { shared = (event.sequence, request) }
            return request
        }
        guard let holder = event.part?.holder, let shared, shared.sequence == holder else {
            return nil
        }
        return shared.request
    }
}
