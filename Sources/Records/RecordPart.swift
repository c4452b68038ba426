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

    /// Returns the request of a record; nil when it has none, or when the record that holds it was
    /// not read: retention may have removed it. Call it for every record, in order.
    package mutating func request(
        of event: RecordedEvent, _ record: UnsafeRawBufferPointer
    ) throws(RecordError) -> RecordedRequest? {
        if event.hasRequest {
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
