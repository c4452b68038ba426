/// A value of a document: a view that costs a reference and an index. Text is decoded when asked.
package struct JSONValue: Sendable {
    /// The kinds of value of RFC 8259 §3, `true` and `false` taken together.
    package enum Kind: Sendable { case object, array, string, number, boolean, null }

    let storage: JSONDocument.Storage
    let index: Int

    var node: JSONNode { storage.nodes[index] }

    /// Which kind of value this is.
    package var kind: Kind {
        switch node.tag {
        case .object: .object
        case .array: .array
        case .string, .key: .string
        case .integer, .number: .number
        case .true, .false: .boolean
        case .null: .null
        }
    }

    /// The value's bytes as they stand in the source, quotes or brackets included.
    package var rawBytes: ArraySlice<UInt8> {
        storage.bytes[Int(node.start)..<Int(node.end)]
    }

    /// The decoded text of a string, else nil. Scalars are kept as sent, without normalisation.
    package var string: String? {
        guard node.tag == .string else { return nil }
        return text(of: node)
    }

    /// The decoded UTF-8 of a string, else nil. A slice of the source where nothing is escaped.
    package var utf8: ArraySlice<UInt8>? {
        guard node.tag == .string else { return nil }
        return content(of: node)
    }

    /// The decoded text of a string whose UTF-8 `isRight`, else nil.
    package func string(where isRight: (Span<UInt8>) -> Bool) -> String? {
        let node = node
        guard node.tag == .string else { return nil }
        if node.hasEscapes {
            let content = content(of: node)
            return isRight(content.span) ? String(decoding: content, as: UTF8.self) : nil
        }
        let bytes = storage.bytes
        let content = bytes.span.extracting(node.content)
        guard isRight(content) else { return nil }
        return content.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Appends the decoded UTF-8 of a string, or a number's literal; nothing for other kinds.
    package func appendText(to output: inout [UInt8]) {
        let node = node
        let bytes = storage.bytes
        switch node.tag {
        case .string where node.hasEscapes:
            JSONText.appendUnescaped(bytes.span, node.content, to: &output)
        case .string: Self.append(bytes.span.extracting(node.content), to: &output)
        case .integer, .number:
            Self.append(bytes.span.extracting(Int(node.start)..<Int(node.end)), to: &output)
        default: break
        }
    }

    private static func append(_ part: Span<UInt8>, to output: inout [UInt8]) {
        part.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }

    /// A number's literal exactly as received (`100.0` stays `100.0`), nil for other kinds.
    package var lexeme: String? {
        guard kind == .number else { return nil }
        return String(decoding: rawBytes, as: UTF8.self)
    }

    /// A number without fraction and exponent that fits, else nil. Never through `Double`, which
    /// is exact up to 2^53 only.
    package var int64: Int64? {
        guard node.tag == .integer else { return nil }
        let bytes = storage.bytes
        return JSONLexer.int64(bytes.span, Int(node.start)..<Int(node.end))
    }

    /// A boolean's value, nil for other kinds.
    package var bool: Bool? {
        switch node.tag {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// Whether this is the literal `null`.
    package var isNull: Bool { node.tag == .null }

    /// The content of a string or name node.
    func content(of node: JSONNode) -> ArraySlice<UInt8> {
        let bytes = storage.bytes
        guard node.hasEscapes else { return bytes[node.content] }
        var output: [UInt8] = []
        JSONText.appendUnescaped(bytes.span, node.content, to: &output)
        return output[...]
    }

    func text(of node: JSONNode) -> String {
        String(decoding: content(of: node), as: UTF8.self)
    }
}
