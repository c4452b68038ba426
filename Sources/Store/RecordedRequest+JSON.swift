import Cryptography
import JSON

extension RecordedRequest {
    /// Writes the request as records and the rejection log hold it; `RecordEncoder` describes the
    /// form.
    package func write(to writer: inout JSONWriter, encodesBodyAsBase64: Bool = false) {
        writer.beginObject()
        writer.key("method")
        writer.string(method)
        writer.key("target")
        writer.string(latin1: target)
        writer.key("headers")
        writer.beginArray()
        for header in headers {
            writer.beginArray()
            writer.string(latin1: header.name)
            writer.string(latin1: header.value)
            writer.endArray()
        }
        writer.endArray()
        if !encodesBodyAsBase64 && JSONWriter.isValidUTF8(body[...]) {
            writer.key("body")
            writer.string(utf8: body[...])
        } else {
            writer.key("bodyBase64")
            writer.string(Base64.encode(body))
        }
        writer.endObject()
    }
}
