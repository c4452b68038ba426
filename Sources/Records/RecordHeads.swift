import JSON

/// The head of a record: the record without its request or inquiry, which is most of it, and the
/// peer.
package enum RecordHead {
    /// The head of `record`, a JSON object of its own. Throws when it is not a record.
    package static func bytes(of record: UnsafeRawBufferPointer) throws(JSONError) -> [UInt8] {
        let end = try end(of: record)
        return [UInt8](record[..<end]) + [UInt8(ascii: "}")]
    }

    /// The head without personal data: without addresses of clients, and without the metadata of an
    /// expectation. Throws when it is not a record.
    package static func withoutPersonalData(
        _ record: UnsafeRawBufferPointer
    ) throws(JSONError) -> [UInt8] {
        var scanner = JSONScanner(record)
        var shown = JSONWriter(reserving: record.count)
        try copyObject(&scanner, to: &shown, named: "", without: personalData)
        return shown.bytes
    }

    /// By the object in which they are: `config/api.md`, "Who may do what".
    private static let personalData: [String: Set<String>] = [
        "": ["request", "inquiry", "peer"], "event": [],
        "event.expectation": ["metadata"], "event.action": ["remote"],
    ]

    /// Copies the object that comes next without the members that are left out of it, and of the
    /// objects in it that `left` names.
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

    /// Where the head of `record` ends, but for its closing brace.
    private static func end(of record: UnsafeRawBufferPointer) throws(JSONError) -> Int {
        var scanner = JSONScanner(record)
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            let value = try scanner.skipValue()
            // Both names have the same length.
            if member == "request" || member == "inquiry" {
                return value.lowerBound - #","request":"#.utf8.count
            }
        }
        return record.count - 1
    }
}

/// Heads of records that follow each other, in one piece of memory.
package struct RecordHeads: Sendable {
    /// The sequence of the first; without meaning while there is none.
    package private(set) var first: UInt64 = 0
    package private(set) var count = 0
    /// Each with its length before it, as four bytes.
    private var bytes: [UInt8] = []

    package init() {}

    package var isEmpty: Bool { count == 0 }
    /// The sequence behind the last.
    package var end: UInt64 { first + UInt64(count) }
    package var byteCount: Int { bytes.count }

    /// Appends the head of the record `sequence`: `beginning` and a closing brace. Where it does
    /// not follow the last, those before it are forgotten.
    package mutating func append(_ sequence: UInt64, _ beginning: ArraySlice<UInt8>) {
        begin(at: sequence)
        withUnsafeBytes(of: UInt32(beginning.count + 1)) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: beginning)
        bytes.append(UInt8(ascii: "}"))
        count += 1
    }

    /// Appends all of `others`, under the same rule.
    package mutating func append(_ others: RecordHeads) {
        begin(at: others.first)
        bytes.append(contentsOf: others.bytes)
        count += others.count
    }

    /// Removes all heads and keeps the memory for the next ones.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    private mutating func begin(at sequence: UInt64) {
        if !isEmpty && end == sequence { return }
        removeAll()
        first = sequence
    }

    /// Calls `visit` with each head behind `sequence`; the bytes are valid during the call only.
    package func forEach(
        after sequence: UInt64,
        _ visit: (_ sequence: UInt64, _ head: UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        try bytes.withUnsafeBytes { bytes in
            var start = 0
            for number in 0..<UInt64(count) {
                let length = Int(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                start += 4
                let head = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + length)])
                if first + number > sequence { try visit(first + number, head) }
                start += length
            }
        }
    }
}
