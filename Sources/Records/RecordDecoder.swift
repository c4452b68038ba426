import JSON
import Payments

/// Decodes whole records.
package enum RecordDecoder {
    /// Returns the event of a record. Reads no further than the request, which is most of a record.
    package static func event(
        _ record: UnsafeRawBufferPointer
    ) throws(RecordError) -> RecordedEvent {
        let reader: RecordReader
        do throws(JSONError) { reader = try RecordReader(record, [.event, .end]) } catch {
            throw .json(error)
        }
        return try RecordedEvent(reader)
    }

    /// Returns the request of a record, as it was received.
    package static func request(_ record: UnsafeRawBufferPointer) throws(RecordError)
        -> RecordedRequest
    {
        var draft = RequestDraft()
        do throws(JSONError) {
            var scanner = JSONScanner(record)
            try scanner.beginObject()
            while let member = try scanner.nextKey() {
                if member == "request" {
                    try draft.read(from: &scanner)
                } else {
                    try scanner.skipValue()
                }
            }
            try scanner.end()
        } catch {
            throw .json(error)
        }
        return try draft.request()
    }

    /// As `event(_:)`, from an array.
    package static func event(_ record: [UInt8]) throws(RecordError) -> RecordedEvent {
        try record.span.withUnsafeBytes { bytes throws(RecordError) in try event(bytes) }
    }

    /// As `request(_:)`, from an array.
    package static func request(_ record: [UInt8]) throws(RecordError) -> RecordedRequest {
        try record.span.withUnsafeBytes { bytes throws(RecordError) in try request(bytes) }
    }
}

/// An error in a stored record.
package enum RecordError: Error, Sendable, Equatable {
    /// It is not the JSON of a record.
    case json(JSONError)
    /// A newer program wrote it.
    case schema(Int64)
    /// Its sequence is not that of its place in the journal.
    case sequence(Int64)
    /// A member is missing.
    case missing(String)
    /// A member has an invalid value.
    case value(String)

    package var reason: String {
        switch self {
        case .json: "record_json"
        case .schema: "record_schema"
        case .sequence: "record_sequence"
        case .missing: "record_member_missing"
        case .value: "record_member_value"
        }
    }
}

extension RecordError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .json(let error): "not the JSON of a record: \(error.reason)"
        case .schema(let schema): "schema \(schema) is newer than this program"
        case .sequence(let sequence): "the record has the sequence \(sequence)"
        case .missing(let member): "\(member) is missing"
        case .value(let member): "\(member) has an invalid value"
        }
    }
}
