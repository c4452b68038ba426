import Cryptography
import JSON

extension RecordedRequest {
    /// How much of a body is escaped at a time, which bounds the room that is made for the worst
    /// case.
    private static let chunkBytes = 4096
    /// What a header takes beside its name and value, and the room that a pen wants for one more.
    private static let headerBytesMin = RecordPen.room(0) + 8

    /// Writes the request as records and the rejection log hold it; `RecordEncoder` describes the
    /// form.
    package func write(to writer: inout JSONWriter, encodesBodyAsBase64: Bool = false) {
        writer.beginObject()
        appendMembers(to: &writer.bytes, encodesBodyAsBase64: encodesBodyAsBase64)
        writer.endObject()
    }

    /// Appends the members of the request.
    func appendMembers(to bytes: inout [UInt8], encodesBodyAsBase64: Bool) {
        bytes.write(atMost: 64 + RecordPen.room(method) + RecordPen.room(target.count)) { pen in
            pen.fragment(#""method":"#)
            pen.text(method)
            pen.fragment(#","target":"#)
            pen.latin1(target)
            pen.fragment(#","headers":["#)
        }
        let room = headers.reduce(0) { $0 + RecordPen.room($1.byteCount) + Self.headerBytesMin }
        bytes.write(atMost: room) { pen in
            var separator: StaticString = "["
            for header in headers {
                pen.fragment(separator)
                pen.latin1(header.name)
                pen.fragment(",")
                pen.latin1(header.value)
                pen.fragment("]")
                separator = ",["
            }
        }
        if !encodesBodyAsBase64 && JSONWriter.isValidUTF8(body[...]) {
            bytes.write(atMost: 16) { $0.fragment(#"],"body":""#) }
            appendEscaped(body.span, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        } else {
            bytes.write(atMost: 32) { $0.fragment(#"],"bodyBase64":""#) }
            bytes += Base64.encode(body).utf8
            bytes.append(UInt8(ascii: "\""))
        }
    }

    private func appendEscaped(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        var start = 0
        while start < text.count {
            let chunk = text.extracting(start..<min(start + Self.chunkBytes, text.count))
            bytes.write(atMost: RecordPen.room(chunk.count)) { $0.escaped(chunk) }
            start += chunk.count
        }
    }
}
