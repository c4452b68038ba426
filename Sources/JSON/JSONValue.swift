/// A value of a document: a view that holds a reference and an index. Text is decoded on demand.
package struct JSONValue: Sendable {
    /// The kinds of value of RFC 8259 §3; `true` and `false` are one kind.
    package enum Kind: Sendable { case object, array, string, number, boolean, null }

    private let storage: JSONDocument.Storage
    private let index: Int

    init(storage: JSONDocument.Storage, index: Int) {
        self.storage = storage
        self.index = index
    }

    private var node: JSONNode { storage.nodes[index] }

    /// The kind of this value.
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

    /// The value's bytes in the source, including quotes or brackets.
    package var rawBytes: ArraySlice<UInt8> {
        storage.bytes[Int(node.start)..<Int(node.end)]
    }

    /// The decoded text of a string, otherwise nil. Scalars are kept as sent, without
    /// normalisation.
    package var string: String? {
        guard node.tag == .string else { return nil }
        return text(of: node)
    }

    /// The decoded UTF-8 of a string, otherwise nil. A slice of the source if nothing is escaped.
    package var utf8: ArraySlice<UInt8>? {
        guard node.tag == .string else { return nil }
        return content(of: node)
    }

    /// The decoded text of a string whose UTF-8 satisfies `isRight`, otherwise nil.
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
        return unsafe content.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Appends the decoded UTF-8 of a string, or the literal of a number; nothing for other kinds.
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
        unsafe part.withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
    }

    /// The literal of a number exactly as received (`100.0` stays `100.0`); nil for other kinds.
    package var lexeme: String? {
        guard kind == .number else { return nil }
        return String(decoding: rawBytes, as: UTF8.self)
    }

    /// The value of a number without fraction and exponent if it fits in 64 bits, otherwise nil.
    /// Never converted through `Double`, which is exact only up to 2^53.
    package var int64: Int64? {
        guard node.tag == .integer else { return nil }
        let bytes = storage.bytes
        return JSONLexer.int64(bytes.span, Int(node.start)..<Int(node.end))
    }

    /// The value of a boolean; nil for other kinds.
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
    private func content(of node: JSONNode) -> ArraySlice<UInt8> {
        let bytes = storage.bytes
        guard node.hasEscapes else { return bytes[node.content] }
        var output: [UInt8] = []
        JSONText.appendUnescaped(bytes.span, node.content, to: &output)
        return output[...]
    }

    private func text(of node: JSONNode) -> String {
        String(decoding: content(of: node), as: UTF8.self)
    }

    // MARK: Members and elements

    /// The members of an object in document order; nothing for other kinds.
    package struct Members: Sequence, IteratorProtocol, Sendable {
        private let storage: JSONDocument.Storage
        private var key: Int
        private let end: Int

        init(of value: JSONValue) {
            storage = value.storage
            key = value.index + 1
            end = value.node.tag == .object ? Int(value.node.link) : 0
        }

        /// The next member, with its name decoded.
        package mutating func next() -> (key: String, value: JSONValue)? {
            guard key < end else { return nil }
            let value = JSONValue(storage: storage, index: key + 1)
            defer { key = Int(value.node.link) }
            return (value.text(of: storage.nodes[key]), value)
        }
    }

    /// The elements of an array in document order; nothing for other kinds.
    package struct Elements: Sequence, IteratorProtocol, Sendable {
        private let storage: JSONDocument.Storage
        private var index: Int
        private let end: Int

        init(of value: JSONValue) {
            storage = value.storage
            index = value.index + 1
            end = value.node.tag == .array ? Int(value.node.link) : 0
        }

        /// The next element.
        package mutating func next() -> JSONValue? {
            guard index < end else { return nil }
            let value = JSONValue(storage: storage, index: index)
            index = Int(value.node.link)
            return value
        }
    }

    /// The members of an object in document order; nothing for other kinds.
    package var members: Members { Members(of: self) }

    /// The elements of an array in document order; nothing for other kinds.
    package var elements: Elements { Elements(of: self) }

    /// Calls `body` with each member of an object in order; names are decoded UTF-8.
    ///
    /// Not generic (so `body` cannot throw), because a generic function would have to be
    /// specialised for each calling module.
    package func forEachMember(_ body: (_ name: Span<UInt8>, _ value: JSONValue) -> Void) {
        guard node.tag == .object else { return }
        let bytes = storage.bytes
        let nodes = storage.nodes
        let end = Int(nodes[index].link)
        var key = index + 1
        while key < end {
            let name = nodes[key]
            let value = JSONValue(storage: storage, index: key + 1)
            if name.hasEscapes {
                let content = content(of: name)
                body(content.span, value)
            } else {
                body(bytes.span.extracting(name.content), value)
            }
            key = Int(nodes[key + 1].link)
        }
    }

    /// The object's member of this name, compared as UTF-8 bytes. Nil if there is none, and for
    /// other kinds. Takes time linear in the number of members.
    ///
    /// Disfavoured because Swift would otherwise prefer it to the cheaper overload for a literal.
    @_disfavoredOverload
    package subscript(_ key: String) -> JSONValue? {
        guard node.tag == .object else { return nil }
        var key = key
        return key.withUTF8 { unsafe member($0.span) }
    }

    /// Same as the subscript by text, for a name that is known at compile time. Swift selects this
    /// overload for a literal.
    package subscript(_ key: StaticString) -> JSONValue? {
        node.tag == .object ? key.withUTF8Buffer { unsafe member($0.span) } : nil
    }

    /// Same as the subscript by text, for a name in UTF-8.
    package subscript(utf8 key: Span<UInt8>) -> JSONValue? {
        node.tag == .object ? member(key) : nil
    }

    private func member(_ sought: Span<UInt8>) -> JSONValue? {
        let bytes = storage.bytes
        let tape = storage.nodes
        let source = bytes.span
        let nodes = tape.span
        let end = Int(nodes[index].link)
        var index = index + 1
        while index < end {
            let name = nodes[index]
            if name.hasEscapes
                ? equal(content(of: name).span, sought)
                : name.content.count == sought.count
                    && equal(source.extracting(name.content), sought)
            {
                return JSONValue(storage: storage, index: index + 1)
            }
            index = Int(nodes[index + 1].link)
        }
        return nil
    }
}

private func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for offset in left.indices where left[offset] != right[offset] { return false }
    return true
}
