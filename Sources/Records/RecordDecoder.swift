import Cryptography
import JSON
import Payments

/// Reads records again.
package enum RecordDecoder {
    /// The event of a record. Start-up reads millions, so it stops before the request, which is
    /// most of a record.
    package static func event(_ record: UnsafeRawBufferPointer) throws(RecordError) -> RecordedEvent
    {
        var draft = RecordDraft()
        do throws(JSONError) {
            var scanner = JSONScanner(record)
            try scanner.beginObject()
            while let member = try scanner.nextKey(), member != "request" {
                try draft.read(member, from: &scanner)
            }
        } catch {
            throw .json(error)
        }
        return try draft.event()
    }

    /// The request of a record, as it was received.
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
