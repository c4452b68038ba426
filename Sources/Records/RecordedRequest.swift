import Bytes
import JSON

/// The request that brought a notification, byte for byte, so that it can be verified again and
/// replayed.
package struct RecordedRequest: Sendable, Equatable {
    package var method: String
    /// The request target as received, query included.
    package var target: ArraySlice<UInt8>
    /// In the order of the request.
    package var headers: [Header]
    package var body: [UInt8]
    /// The parts that were removed before it was stored; nil if it is as received.
    package var redaction: RedactionMark?

    package init(
        method: String, target: ArraySlice<UInt8>, headers: [Header], body: [UInt8],
        redaction: RedactionMark? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.redaction = redaction
    }

    /// Bytes in memory, estimated. The queue's limit counts them.
    package var byteCount: Int {
        target.count + body.count + 512 + headers.byteCount + headers.count * 64
    }
}

extension RecordedRequest {
    /// Bytes of a body that are escaped at a time. Room is made for the worst case of these only.
    private static let chunkBytes = 4096
    /// Bytes that a header takes beside its name and value.
    private static let headerBytesMin = RecordWriter.room(0) * 2 + 8

    /// Writes the request as records and the rejection log hold it; `RecordEncoder` describes the
    /// form.
    package func write(to writer: inout JSONWriter, encodesBodyAsBase64: Bool = false) {
        writer.beginObject()
        writer.bytes.write(atMost: headRoom) { appendHead(to: &$0) }
        appendBody(to: &writer.bytes, encodesBodyAsBase64: encodesBodyAsBase64)
        writer.endObject()
    }

    /// Most bytes of the members before the body.
    var headRoom: Int {
        64 + RecordWriter.room(method) + RecordWriter.room(target.count)
            + RecordWriter.room(headers.byteCount) + headers.count * Self.headerBytesMin
    }

    /// Appends the members before the body.
    func appendHead(to writer: inout RecordWriter) {
        writer.fragment(#""method":"#)
        writer.text(method)
        writer.fragment(#","target":"#)
        writer.latin1(target.span)
        writer.fragment(",")
        appendHeaders(to: &writer)
    }

    /// Appends the member `headers`.
    func appendHeaders(to writer: inout RecordWriter) {
        writer.fragment(#""headers":["#)
        let headers = headers.span
        for index in headers.indices {
            headers[index].withParts { name, value in
                writer.fragment(index == 0 ? "[" : ",[")
                writer.latin1(name)
                writer.fragment(",")
                writer.latin1(value)
                writer.fragment("]")
            }
        }
        writer.fragment("]")
    }

    /// Appends the body's member, with the comma before it, and what was removed from the request.
    func appendBody(to bytes: inout [UInt8], encodesBodyAsBase64: Bool) {
        if !encodesBodyAsBase64 && JSONWriter.isValidUTF8(body.span) {
            bytes.write(atMost: 16) { $0.fragment(#","body":""#) }
            appendEscaped(body.span, to: &bytes)
        } else {
            bytes.write(atMost: 32) { $0.fragment(#","bodyBase64":""#) }
            bytes += Base64.encode(body).utf8
        }
        bytes.append(UInt8(ascii: "\""))
        redaction?.append(to: &bytes)
    }

    private func appendEscaped(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        var start = 0
        while start < text.count {
            let chunk = text.extracting(start..<min(start + Self.chunkBytes, text.count))
            bytes.write(atMost: RecordWriter.room(chunk.count)) { $0.escaped(chunk) }
            start += chunk.count
        }
    }
}

/// The member `request` or `answer`, as read.
struct RequestDraft {
    private var method: String?
    private var target: String?
    private var headers: [(String, String)] = []
    private var headersAreWhole = true
    private var body: String?
    private var bodyBase64: String?
    private var redaction: RedactionMark?
    /// The status of an answer.
    private var status: Int64?

    mutating func read(from scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "method": method = try scanner.string()
            case "target": target = try scanner.string()
            case "status": status = try scanner.int64()
            case "headers": try readHeaders(from: &scanner)
            case "body": body = try scanner.string()
            case "bodyBase64": bodyBase64 = try scanner.string()
            case "redacted": redaction = try RedactionMark(from: &scanner)
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readHeaders(from scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginArray()
        while try scanner.nextElement() {
            var texts: [String] = []
            try scanner.beginArray()
            while try scanner.nextElement() { texts.append(try scanner.string()) }
            if texts.count == 2 {
                headers.append((texts[0], texts[1]))
            } else {
                headersAreWhole = false
            }
        }
    }

    /// Returns the request. Throws when a member is missing or invalid.
    func request() throws(RecordError) -> RecordedRequest {
        guard let method, let target else { throw .missing("request.method or target") }
        return RecordedRequest(
            method: method, target: try Self.latin1(target, "request.target"),
            headers: try fields(), body: try bodyBytes(), redaction: redaction)
    }

    /// Returns the answer to an inquiry. Throws when a member is missing or invalid.
    func answer(trust: String) throws(RecordError) -> RecordedInquiry {
        guard let status = status.flatMap({ Int(exactly: $0) }) else {
            throw .missing("inquiry.answer.status")
        }
        return RecordedInquiry(
            trust: trust, status: status, headers: try fields(), body: try bodyBytes(),
            redaction: redaction)
    }

    private func fields() throws(RecordError) -> [Header] {
        guard headersAreWhole else { throw .value("request.headers") }
        var fields: [Header] = []
        for (name, value) in headers {
            fields.append(
                Header(
                    name: try Self.latin1(name, "request.headers"),
                    value: try Self.latin1(value, "request.headers")))
        }
        return fields
    }

    private func bodyBytes() throws(RecordError) -> [UInt8] {
        if let body { return Array(body.utf8) }
        guard let bodyBase64 else { throw .missing("request.body") }
        guard let bytes = Base64.decode(strict: Array(bodyBase64.utf8)[...]) else {
            throw .value("request.bodyBase64")
        }
        return bytes
    }

    /// Returns the bytes that `text` was made of (ISO 8859-1).
    private static func latin1(
        _ text: String, _ member: String
    ) throws(RecordError) -> ArraySlice<UInt8> {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { throw .value(member) }
            bytes.append(byte)
        }
        return bytes[...]
    }
}
