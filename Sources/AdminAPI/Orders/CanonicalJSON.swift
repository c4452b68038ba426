import JSON

/// One spelling for each JSON value: no white space, members sorted by the bytes of their names.
/// Numbers keep their spelling, for `1` and `1.0` may not be the same to the merchant.
enum CanonicalJSON {
    static func write(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value.kind {
        case .object:
            writer.beginObject()
            let members = value.members.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
            for (key, member) in members {
                writer.key(key)
                write(member, to: &writer)
            }
            writer.endObject()
        case .array:
            writer.beginArray()
            for element in value.elements { write(element, to: &writer) }
            writer.endArray()
        case .string: writer.string(value.string ?? "")
        default: writer.raw(value.rawBytes)
        }
    }
}
