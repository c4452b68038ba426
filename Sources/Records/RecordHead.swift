import JSON

/// The head of a record: the record without its request, which is most of it, and the peer.
package enum RecordHead {
    /// The head of `record`, a JSON object of its own. Throws when it is no record.
    package static func bytes(of record: UnsafeRawBufferPointer) throws(JSONError) -> [UInt8] {
        let end = try end(of: record)
        return [UInt8](record[..<end]) + [UInt8(ascii: "}")]
    }

    /// Where the head of `record` ends, but for its closing brace.
    private static func end(of record: UnsafeRawBufferPointer) throws(JSONError) -> Int {
        var scanner = JSONScanner(record)
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            let value = try scanner.skipValue()
            if member == "request" { return value.lowerBound - #","request":"#.utf8.count }
        }
        return record.count - 1
    }
}
