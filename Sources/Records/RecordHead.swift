import JSON

/// The head of a record: the record without its request or inquiry, which is most of it, and the
/// peer.
package enum RecordHead {
    /// Returns the head of `record` as a JSON object. Throws when it is not a record.
    package static func bytes(of record: UnsafeRawBufferPointer) throws(JSONError) -> [UInt8] {
        try RecordReader(record, .end).head
    }

    /// Returns the head without personal data: without addresses of clients, and without the
    /// metadata of an expectation. Throws when it is not a record.
    package static func withoutPersonalData(
        _ record: UnsafeRawBufferPointer
    ) throws(JSONError) -> [UInt8] {
        var scanner = JSONScanner(record)
        var shown = JSONWriter(reserving: record.count)
        try copyObject(&scanner, to: &shown, named: "", without: personalData)
        return shown.bytes
    }

    /// Members with personal data, by their object (`config/api.md`, "Who may do what").
    private static let personalData: [String: Set<String>] = [
        "": ["request", "inquiry", "peer", "sealed"], "event": [],
        "event.expectation": ["metadata"], "event.action": ["remote"],
    ]

    /// Copies the object that comes next without the members that `left` has for it and for the
    /// objects in it.
    private static func copyObject(
        _ scanner: inout JSONScanner, to writer: inout JSONWriter, named name: String,
        without left: [String: Set<String>]
    ) throws(JSONError) {
        try scanner.beginObject()
        writer.beginObject()
        while let member = try scanner.nextKey() {
            let path = name.isEmpty ? member : "\(name).\(member)"
            if left[name]?.contains(member) == true {
                try scanner.skipValue()
                continue
            }
            writer.key(member)
            if left[path] != nil {
                try copyObject(&scanner, to: &writer, named: path, without: left)
            } else {
                writer.raw(scanner.bytes(in: try scanner.skipValue())[...])
            }
        }
        writer.endObject()
    }
}
