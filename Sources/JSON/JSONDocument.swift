/// A JSON text that was found correct in full, with its bytes.
///
/// Strict RFC 8259 in UTF-8: see `JSONError` for everything that is refused. The text is kept as
/// it came, so that a number's literal and a value's exact bytes can be had later.
package struct JSONDocument: Sendable {
    /// Shared by the document and its values; never changed once the parser has filled it.
    final class Storage: Sendable {
        let bytes: [UInt8]
        let nodes: [JSONNode]

        init(bytes: [UInt8], nodes: [JSONNode]) {
            self.bytes = bytes
            self.nodes = nodes
        }
    }

    let storage: Storage

    /// Bytes of member names that were hashed or compared to find a name that comes twice. At most
    /// a few times the text, whatever is in it.
    package let comparedBytes: Int

    /// - Throws: `JSONError`, with the reason and the place of the first mistake.
    package init(parsing bytes: [UInt8], limits: JSONLimits = .init()) throws(JSONError) {
        var parser = JSONParser(limits: limits)
        try parser.parse(bytes.span)
        storage = Storage(bytes: bytes, nodes: parser.nodes)
        comparedBytes = parser.comparedBytes
    }

    /// The outermost value.
    package var root: JSONValue { JSONValue(storage: storage, index: 0) }

    /// The text as it was given.
    package var bytes: [UInt8] { storage.bytes }
}

/// One value or member name of a document: 16 bytes on the tape, in document order.
///
/// The tape of `{"a":[1,2]}` is: object, name `a`, array, number, number. A container is followed
/// by its contents, a name by its value, and `link` leads over a subtree. No node has a heap
/// object of its own, and text stays in the source until someone asks for it.
struct JSONNode {
    enum Tag: UInt8 {
        case object, array, string, integer, number, `true`, `false`, null, key
    }

    /// Offset of the first byte in the source; of the opening quote for text.
    var start: UInt32
    /// Offset after the last byte; after the closing quote for text.
    var end: UInt32
    /// Of a value: the index of the node after its subtree (of a container still open: the
    /// container around it). Of a name: bits of its content, see `KeyHint`.
    var link: UInt32
    var tag: Tag
    /// Text only: there is a backslash in it, so its content is not its source bytes.
    var hasEscapes = false

    /// Text only: what is between the quotes.
    var content: Range<Int> { Int(start) + 1..<Int(end) - 1 }
}

/// What a text may ask of the parser before it is refused.
///
/// RFC 8259 §9 allows an implementation to limit nesting and size; these are the limits that
/// protect a server from a hostile sender. The size in bytes is limited where the bytes arrive.
package struct JSONLimits: Sendable, Equatable {
    /// How many objects and arrays may stand inside each other. A bare scalar has depth 0.
    package var depthMax = 64
    /// How many values a text may hold, objects and arrays counted, member names not.
    /// A value costs 16 bytes beside the text, 32 with its name.
    package var nodesMax = 100_000

    /// For what comes from our own server or journal: a page of records has any number of values,
    /// and its bytes are limited where they arrive.
    package static let trusted = JSONLimits(nodesMax: .max)

    /// The defaults suit a notification; the configuration may set others.
    package init(depthMax: Int = 64, nodesMax: Int = 100_000) {
        self.depthMax = depthMax
        self.nodesMax = nodesMax
    }
}

/// 32 bits drawn from a member name, to tell most names apart without comparing them.
///
/// Not seeded and not meant to withstand an attacker: `DuplicateKeys` uses it for small objects
/// only, where even all hints equal costs little.
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
            // Reads past the name but inside the text; the shift drops what is not the name.
            let word = ByteWord(source, at: content.lowerBound).bits
            hint ^= length == 0 ? 0 : word << UInt64(64 - 8 * length)
        } else {
            // At the very end of the text: the same eight bytes, put together one by one, for a
            // name must have the same hint wherever it is.
            for offset in content {
                hint ^= UInt64(source[offset]) << UInt64(64 - 8 * (content.upperBound - offset))
            }
        }
        return UInt32(truncatingIfNeeded: (hint &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}
