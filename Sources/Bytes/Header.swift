/// One header line as received: the name in the sender's spelling, the value without the white
/// space around it (RFC 9110 §5.5). Stored as bytes, because signatures are computed over bytes and
/// values need not be UTF-8.
///
/// All lines of a request share the bytes of its head: a line takes one reference and four numbers,
/// and the provider and the journal read the parser's bytes.
package struct Header: Sendable {
    private let section: [UInt8]
    // 32 bits are enough: a section is limited to far less.
    private let nameStart: UInt32
    private let nameEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32

    /// The name in the sender's spelling.
    package var name: ArraySlice<UInt8> { section[nameRange] }

    /// The value without surrounding white space; otherwise unchanged.
    package var value: ArraySlice<UInt8> { section[valueRange] }

    /// Calls `body` with name and value as spans of the head. A slice of each would retain the
    /// array.
    package func withParts<Result>(
        _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Result
    ) -> Result {
        let bytes = section.span
        return body(bytes.extracting(nameRange), bytes.extracting(valueRange))
    }

    /// Bytes of name and value together.
    package var byteCount: Int { nameRange.count + valueRange.count }

    private var nameRange: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    private var valueRange: Range<Int> { Int(valueStart)..<Int(valueEnd) }

    /// A line whose parts are in `section`, which must be shorter than 4 GiB.
    package init(section: [UInt8], name: Range<Int>, value: Range<Int>) {
        self.section = section
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
        nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
    }

    /// A line that was not received.
    package init(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        let middle = name.count
        let section = Array(name) + Array(value)
        self.init(section: section, name: 0..<middle, value: middle..<section.count)
    }

    /// A line that was not received.
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
    /// Bytes of all names and values. In this module, where a line need not be copied for it.
    package var byteCount: Int { reduce(0) { $0 + $1.byteCount } }

    /// The index of the first header with this name, given in lower case, and whether it is
    /// repeated. In this module, where most names can be distinguished by their lengths.
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
