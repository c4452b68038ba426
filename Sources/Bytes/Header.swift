/// One header line, as received: the name in the sender's spelling, the value without the white
/// space around it (RFC 9110 §5.5). Bytes and not text, because signatures are made over bytes, and
/// values are not bound to UTF-8.
///
/// All lines of a request share the bytes of its head: a line costs one reference and four numbers,
/// and what the parser found is what the provider reads and the journal keeps.
package struct Header: Sendable {
    private let section: [UInt8]
    // 32 bits are enough: a section is limited to far less.
    private let nameStart: UInt32
    private let nameEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32

    /// The name in the sender's spelling.
    package var name: ArraySlice<UInt8> { section[nameRange] }

    /// The value without the white space around it; the inside is untouched.
    package var value: ArraySlice<UInt8> { section[valueRange] }

    /// Lends name and value as they stand in the head. A slice of each would count a reference to
    /// it.
    package func withParts<Result>(
        _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Result
    ) -> Result {
        let bytes = section.span
        return body(bytes.extracting(nameRange), bytes.extracting(valueRange))
    }

    /// What name and value take, in bytes.
    package var byteCount: Int { nameRange.count + valueRange.count }

    private var nameRange: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    private var valueRange: Range<Int> { Int(valueStart)..<Int(valueEnd) }

    /// A line whose parts stand in `section`, which must be shorter than 4 GiB.
    package init(section: [UInt8], name: Range<Int>, value: Range<Int>) {
        self.section = section
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
        nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
    }

    /// A line that was never on the wire.
    package init(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        let middle = name.count
        let section = Array(name) + Array(value)
        self.init(section: section, name: 0..<middle, value: middle..<section.count)
    }

    /// A line that was never on the wire.
    package init(_ name: String, _ value: String) {
        self.init(name: name.utf8, value: value.utf8)
    }

    /// Whether this header's name is `lowercased`; names are compared without regard to case (RFC
    /// 9110 §5.1).
    package func isNamed(_ lowercased: String) -> Bool { isNamed(lowercased.utf8.span) }

    fileprivate func isNamed(_ lowercased: Span<UInt8>) -> Bool {
        guard Int(nameEnd - nameStart) == lowercased.count else { return false }
        let received = section.span.extracting(nameRange)
        for index in lowercased.indices {
            let byte = received[index]
            let isUppercase = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            guard (isUppercase ? byte | 0x20 : byte) == lowercased[index] else { return false }
        }
        return true
    }
}

extension [Header] {
    /// What all names and values take, in bytes. Here, where a line need not be copied for it.
    package var byteCount: Int { reduce(0) { $0 + $1.byteCount } }

    /// The first header of this name, given in lower case, and whether there is another one. Here,
    /// where it sees a header's parts: most are told apart by the length of their names.
    package func search(_ lowercasedName: String) -> (index: Int, isRepeated: Bool)? {
        let name = lowercasedName.utf8.span
        var found: Int?
        for index in indices where self[index].isNamed(name) {
            if let found { return (found, true) }
            found = index
        }
        return found.map { ($0, false) }
    }
}

extension Header: Equatable {
    package static func == (left: Header, right: Header) -> Bool {
        left.name == right.name && left.value == right.value
    }
}
