import Cryptography
import JSON

extension RecordedRequest {
    /// Writes the request as records and the rejection log hold it; `RecordEncoder` describes the
    /// form.
    package func write(to writer: inout JSONWriter, encodesBodyAsBase64: Bool = false) {
        writer.beginObject()
        writer.fragment(#""method":"#)
        writer.string(method)
        writer.fragment(#","target":"#)
        writer.string(latin1: target)
        writer.fragment(#","headers":["#)
        for (index, header) in headers.enumerated() {
            writer.fragment(index == 0 ? "[" : ",[")
            writer.string(latin1: header.name)
            writer.string(latin1: header.value)
            writer.fragment("]")
        }
        if !encodesBodyAsBase64 && JSONWriter.isValidUTF8(body[...]) {
            writer.fragment(#"],"body":"#)
            writer.string(utf8: body[...])
        } else {
            writer.fragment(#"],"bodyBase64":"#)
            writer.string(Base64.encode(body))
        }
        writer.endObject()
    }
}
