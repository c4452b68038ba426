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

    /// The object's member of this name, compared as UTF-8 bytes. Nil when there is none, and
    /// for other kinds. Linear in the number of members.
    package subscript(_ key: String) -> JSONValue? {
        guard node.tag == .object else { return nil }
        var key = key
        return key.withUTF8 { sought in member(sought) }
    }

    private func member(_ sought: UnsafeBufferPointer<UInt8>) -> JSONValue? {
        let end = Int(node.link)
        var index = index + 1
        while index < end {
            let name = storage.nodes[index]
            if name.hasEscapes
                ? content(of: name).elementsEqual(sought) : equals(name, sought)
            {
                return JSONValue(storage: storage, index: index + 1)
            }
            index = Int(storage.nodes[index + 1].link)
        }
        return nil
    }

    /// Whether a name without escapes has these bytes.
    private func equals(_ name: JSONNode, _ sought: UnsafeBufferPointer<UInt8>) -> Bool {
        guard Int(name.end - name.start) == sought.count + 2 else { return false }
        let source = storage.bytes
        let first = Int(name.start) + 1
        for offset in 0..<sought.count where source[first + offset] != sought[offset] {
            return false
        }
        return true
    }
}
