import Bytes
import Cryptography
import JSON
import Sealing

/// Opens the personal parts of records. A sequence of records that are opened in their order costs
/// least.
package struct RecordOpener {
    private var path: KeyPath

    package init(_ ring: KeyRing) { path = KeyPath(ring.tree) }

    /// Returns the record as it was before it was sealed. Where its key was destroyed, its head and
    /// `"erased":"request"` are returned, by the name of what it was. A record that is not sealed
    /// is returned as it is.
    ///
    /// Throws `value` with `sealed` when the record was changed, and what reading it throws.
    package mutating func open(
        _ record: UnsafeRawBufferPointer
    ) throws(RecordError) -> [UInt8] {
        let reader: RecordReader
        do throws(JSONError) { reader = try RecordReader(record, .end) } catch {
            throw .json(error)
        }
        let head = UnsafeRawBufferPointer(rebasing: record[..<reader.headEnd])
        guard let sealed = reader.sealed else { return try opened(record, head, nil) }
        guard let sequence = reader.sequence.flatMap({ UInt64(exactly: $0) }) else {
            throw .missing("sequence")
        }
        guard let key = path.key(of: sequence) else {
            return try opened(record, head, Array(#","erased":"\#(sealed.name)"}"#.utf8))
        }
        guard let box = sealed.box, let plain = SealedBox.open(box, key: key, additional: head)
        else { throw .value("sealed") }
        return try opened(record, head, plain)
    }

    /// As `open(_:)`, from an array.
    package mutating func open(_ record: [UInt8]) throws(RecordError) -> [UInt8] {
        try record.span.withUnsafeBytes { bytes throws(RecordError) in try open(bytes) }
    }

    /// The record with its metadata opened, and `rest` in place of what follows its head.
    private mutating func opened(
        _ record: UnsafeRawBufferPointer, _ head: UnsafeRawBufferPointer, _ rest: [UInt8]?
    ) throws(RecordError) -> [UInt8] {
        var bytes = try openMetadata(of: head)
        if let rest { bytes += rest } else { bytes += record[head.count...] }
        return bytes
    }

    /// Returns a head whose metadata is open. It is found by the bytes with which it begins: no
    /// text has them, because quotes are escaped in texts.
    private mutating func openMetadata(
        of head: UnsafeRawBufferPointer
    ) throws(RecordError) -> [UInt8] {
        guard let begin = head.firstRange(of: Self.metadata)?.upperBound else {
            return Array(head)
        }
        let start = begin - SealedMetadata.beginning.count
        let rest = UnsafeRawBufferPointer(rebasing: head[start...])
        guard let length = rest.firstRange(of: Self.metadataEnd)?.upperBound,
            let opened = try open(metadata: Array(rest[..<length]))
        else { return Array(head) }
        return Array(head[..<start]) + opened + Array(rest[length...])
    }

    private static let metadata = Array(#""metadata":"#.utf8) + SealedMetadata.beginning
    private static let metadataEnd = Array(#""}}"#.utf8)

    /// Returns sealed metadata as it was, or `{"erased":true}`; nil when it is not sealed.
    ///
    /// Throws `value` when it was changed.
    package mutating func open(metadata: [UInt8]) throws(RecordError) -> [UInt8]? {
        guard let sealed = SealedMetadata(metadata) else { return nil }
        guard let key = path.key(of: sealed.record) else { return Array(#"{"erased":true}"#.utf8) }
        let bound = SealedMetadata.bound(to: sealed.record)
        guard let box = Base64.decode(strict: Array(sealed.text.utf8)[...]),
            let plain = SealedBox.open(box, key: key, additional: bound)
        else { throw .value("event.expectation.metadata") }
        return plain
    }
}

/// Whether a record's personal part can be read.
package enum PersonalPart: Sendable {
    /// As it was received, or there is none.
    case open
    /// It takes a key.
    case sealed
    /// Its key was destroyed.
    case erased

    /// That of a record. Throws when it is not one.
    package init(of record: UnsafeRawBufferPointer) throws(RecordError) {
        do throws(JSONError) { self = try RecordReader(record, .end).personal } catch {
            throw .json(error)
        }
    }

    /// Whether anything personal of a record is stored as it is. Throws when it is not a record.
    package static func isPlain(_ record: [UInt8]) throws(RecordError) -> Bool {
        if let metadata = try RecordDecoder.event(record).registered?.metadata, !metadata.isEmpty,
            SealedMetadata(metadata) == nil
        {
            return true
        }
        do throws(JSONError) {
            return try record.span.withUnsafeBytes { bytes throws(JSONError) in
                let reader = try RecordReader(bytes, .end)
                return reader.personal == .open && reader.headEnd < bytes.count - 1
            }
        } catch {
            throw .json(error)
        }
    }
}

/// The member `sealed` of a record, in place of its personal part.
struct SealedPart {
    /// The first member of the personal part: `request`, `inquiry` or `peer`.
    let name: String
    private let text: String

    /// Reads the member's value. Throws `syntax` when it is not one.
    init(from scanner: inout JSONScanner) throws(JSONError) {
        let start = scanner.offset
        var (name, text): (String?, String?)
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "of": name = try scanner.string()
            case "bytes": text = try scanner.string()
            default: try scanner.skipValue()
            }
        }
        guard let name, let text else { throw .syntax(start) }
        self.name = name
        self.text = text
    }

    /// The sealed box; nil when it is not Base64.
    var box: [UInt8]? { Base64.decode(strict: Array(text.utf8)[...]) }
}
