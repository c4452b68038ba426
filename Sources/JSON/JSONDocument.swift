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
    /// a few times the text, whatever stands in it.
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
