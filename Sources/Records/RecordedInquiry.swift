import Bytes
import JSON

/// The answer of a provider that was asked, where it brought an event. With the request it takes
/// the place of a notification's request. Credentials are left out.
package struct RecordedInquiry: Sendable, Equatable {
    /// How the answer was authenticated: `signature`, or `tls` alone.
    package var trust: String
    package var status: Int
    /// The answer's headers, in their order.
    package var headers: [Header]
    package var body: [UInt8]
    /// The parts of the answer that were removed; nil if it is as received.
    package var redaction: RedactionMark?

    package init(
        trust: String, status: Int, headers: [Header], body: [UInt8],
        redaction: RedactionMark? = nil
    ) {
        self.trust = trust
        self.status = status
        self.headers = headers
        self.body = body
        self.redaction = redaction
    }

    /// Bytes in memory, estimated.
    package var byteCount: Int { body.count + 256 + headers.byteCount + headers.count * 64 }

    /// Appends the member `inquiry` with what follows it: the request that was made, without its
    /// credentials, and the answer.
    func append(
        after request: RecordedRequest, encodesBodyAsBase64: Bool, to bytes: inout [UInt8]
    ) {
        bytes.write(atMost: 64 + RecordWriter.room(trust) + request.headRoom) { writer in
            writer.text(#","inquiry":{"trust":"#, trust)
            writer.fragment(#","request":{"#)
            request.appendHead(to: &writer)
        }
        request.appendBody(to: &bytes, encodesBodyAsBase64: encodesBodyAsBase64)
        let answer = RecordedRequest(
            method: "", target: [], headers: headers, body: body, redaction: redaction)
        bytes.write(atMost: 64 + answer.headRoom) { writer in
            writer.fragment(#"},"answer":{"status":"#)
            writer.integer(Int64(status))
            writer.fragment(",")
            answer.appendHeaders(to: &writer)
        }
        answer.appendBody(to: &bytes, encodesBodyAsBase64: encodesBodyAsBase64)
        bytes.write(atMost: 8) { $0.fragment("}}}") }
    }
}

extension RecordDecoder {
    /// Returns the request and the answer of a record of an inquiry.
    package static func inquiry(
        _ record: UnsafeRawBufferPointer
    ) throws(RecordError) -> (request: RecordedRequest, inquiry: RecordedInquiry) {
        var request = RequestDraft()
        var answer = RequestDraft()
        var trust: String?
        do throws(JSONError) {
            var scanner = JSONScanner(record)
            try scanner.beginObject()
            while let member = try scanner.nextKey() {
                guard member == "inquiry" else {
                    try scanner.skipValue()
                    continue
                }
                try scanner.beginObject()
                while let part = try scanner.nextKey() {
                    switch part {
                    case "trust": trust = try scanner.string()
                    case "request": try request.read(from: &scanner)
                    case "answer": try answer.read(from: &scanner)
                    default: try scanner.skipValue()
                    }
                }
            }
            try scanner.end()
        } catch {
            throw .json(error)
        }
        guard let trust else { throw .missing("inquiry.trust") }
        return (try request.request(), try answer.answer(trust: trust))
    }

    /// As `inquiry(_:)`, from an array.
    package static func inquiry(
        _ record: [UInt8]
    ) throws(RecordError) -> (request: RecordedRequest, inquiry: RecordedInquiry) {
        try record.span.withUnsafeBytes { bytes throws(RecordError) in try inquiry(bytes) }
    }
}
