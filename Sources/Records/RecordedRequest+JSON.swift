import Bytes
import JSON

extension RecordedRequest {
    /// How much of a body is escaped at a time, which bounds the room that is made for the worst
    /// case.
    private static let chunkBytes = 4096
    /// What a header takes beside its name and value.
    private static let headerBytesMin = RecordWriter.room(0) * 2 + 8

    /// Writes the request as records and the rejection log hold it; `RecordEncoder` describes the
    /// form.
    package func write(to writer: inout JSONWriter, encodesBodyAsBase64: Bool = false) {
        writer.beginObject()
        writer.bytes.write(atMost: headRoom) { appendHead(to: &$0) }
        appendBody(to: &writer.bytes, encodesBodyAsBase64: encodesBodyAsBase64)
        writer.endObject()
    }

    /// What the members before the body take at most.
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
        writer.fragment(#","headers":["#)
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

    /// Appends the body's member, with the comma before it.
    func appendBody(to bytes: inout [UInt8], encodesBodyAsBase64: Bool) {
        if !encodesBodyAsBase64 && JSONWriter.isValidUTF8(body.span) {
            bytes.write(atMost: 16) { $0.fragment(#","body":""#) }
            appendEscaped(body.span, to: &bytes)
        } else {
            bytes.write(atMost: 32) { $0.fragment(#","bodyBase64":""#) }
            bytes += Base64.encode(body).utf8
        }
        bytes.append(UInt8(ascii: "\""))
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
