extension JSONValue {
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

        /// The next member, its name decoded.
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

    /// Gives `body` the members of an object one after the other, their names as decoded UTF-8.
    ///
    /// Not generic, and so without an error of `body`'s: it need not be specialised for another
    /// module.
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

    /// The object's member of this name, compared as UTF-8 bytes. Nil when there is none, and
    /// for other kinds. Linear in the number of members.
    ///
    /// Disfavoured, because for a literal Swift would else prefer this one to the cheaper one.
    @_disfavoredOverload
    package subscript(_ key: String) -> JSONValue? {
        guard node.tag == .object else { return nil }
        var key = key
        return key.withUTF8 { member($0.span) }
    }

    /// As the subscript by text, for a name known when compiling. A literal comes here by itself.
    package subscript(_ key: StaticString) -> JSONValue? {
        node.tag == .object ? key.withUTF8Buffer { member($0.span) } : nil
    }

    /// As the subscript by text, for a name in UTF-8.
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
