/// A JSON text that was fully checked, with its bytes.
///
/// Strict RFC 8259 in UTF-8: `JSONError` lists everything that is refused. The text is kept as
/// received, so that a number's literal and a value's exact bytes remain available.
package struct JSONDocument: Sendable {
    /// Shared by the document and its values; never changed after the parser has filled it.
    final class Storage: Sendable {
        let bytes: [UInt8]
        let nodes: [JSONNode]

        init(bytes: [UInt8], nodes: [JSONNode]) {
            self.bytes = bytes
            self.nodes = nodes
        }
    }

    let storage: Storage

    /// Bytes of member names that were hashed or compared to find duplicates. At most a few times
    /// the length of the text, whatever it contains.
    package let comparedBytes: Int

    /// - Throws: `JSONError`, with the reason and offset of the first mistake.
    package init(parsing bytes: [UInt8], limits: JSONLimits = .init()) throws(JSONError) {
        var parser = JSONParser(limits: limits)
        try parser.parse(bytes.span)
        storage = Storage(bytes: bytes, nodes: parser.nodes)
        comparedBytes = parser.comparedBytes
    }

    /// The outermost value.
    package var root: JSONValue { JSONValue(storage: storage, index: 0) }

    /// The text as received.
    package var bytes: [UInt8] { storage.bytes }
}

/// One value or member name of a document: 16 bytes on the tape, in document order.
///
/// The tape of `{"a":[1,2]}` is: object, name `a`, array, number, number. A container is followed
/// by its contents and a name by its value; `link` skips a subtree. No node allocates an object,
/// and text stays in the source until it is requested.
struct JSONNode {
    enum Tag: UInt8 {
        case object, array, string, integer, number, `true`, `false`, null, key
    }

    /// Offset of the first byte in the source; of the opening quote for text.
    var start: UInt32
    /// Offset after the last byte; after the closing quote for text.
    var end: UInt32
    /// For a value, the index of the node after its subtree (for a container that is still open,
    /// the index of the enclosing container). For a name, bits of its content; see `KeyHint`.
    var link: UInt32
    var tag: Tag
    /// For text only: it contains a backslash, so its content differs from its source bytes.
    var hasEscapes = false

    /// For text only: the range between the quotes.
    var content: Range<Int> { Int(start) + 1..<Int(end) - 1 }
}

/// The resources that a text may use before it is refused.
///
/// RFC 8259 §9 allows an implementation to limit nesting and size; these limits protect a server
/// from a hostile sender. The size in bytes is limited where the bytes are received.
package struct JSONLimits: Sendable, Equatable {
    /// Maximum nesting of objects and arrays. A bare scalar has depth 0.
    package var depthMax = 64
    /// Maximum number of values in a text, including objects and arrays, but not member names. A
    /// value takes 16 bytes in addition to the text, 32 with its name.
    package var nodesMax = 100_000

    /// For texts from our own server or journal: a page of records has any number of values, and
    /// its bytes are limited where they are received.
    package static let trusted = JSONLimits(nodesMax: .max)

    /// The defaults suit a notification; the configuration may set others.
    package init(depthMax: Int = 64, nodesMax: Int = 100_000) {
        self.depthMax = depthMax
        self.nodesMax = nodesMax
    }
}

/// 32 bits derived from a member name, which distinguish most names without comparing them.
///
/// Unseeded and not resistant to an attacker: `DuplicateKeys` uses hints for small objects only,
/// where equal hints cost little.
enum KeyHint {
    @inline(__always)
    static func of(_ source: Span<UInt8>, _ content: Range<Int>) -> UInt32 {
        let length = content.count
        var hint = UInt64(truncatingIfNeeded: length)
        if length >= 8 {
            let first = ByteWord(source, at: content.lowerBound).bits
            let last = ByteWord(source, at: content.upperBound - 8).bits
            hint ^= first ^ (last << 23 | last >> 41)
        } else if content.lowerBound + 8 <= source.count {
            // Reads past the name but within the text; the shift drops what is not part of the
            // name.
            let word = ByteWord(source, at: content.lowerBound).bits
            hint ^= length == 0 ? 0 : word << UInt64(64 - 8 * length)
        } else {
            // At the very end of the text: composes the same eight bytes one by one, because a name
            // must have the same hint wherever it is.
            for offset in content {
                hint ^= UInt64(source[offset]) << UInt64(64 - 8 * (content.upperBound - offset))
            }
        }
        return UInt32(truncatingIfNeeded: (hint &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}
