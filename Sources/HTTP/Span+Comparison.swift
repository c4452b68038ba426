extension Span<UInt8> {
    /// Whether these bytes are exactly that text.
    func matches(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        // A literal has no other access to its bytes than this pointer, which lives forever.
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: count)
        for index in 0..<count where self[index] != expected[index] { return false }
        return true
    }

    /// Whether these bytes are that text, ASCII letters compared without case. The text is lower
    /// case.
    func matches(lowercased text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: count)
        for index in 0..<count where ByteClass.lowercased(self[index]) != expected[index] {
            return false
        }
        return true
    }

    /// Whether both are the same bytes, ASCII letters compared without case.
    func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count
        where ByteClass.lowercased(self[index]) != ByteClass.lowercased(other[index]) {
            return false
        }
        return true
    }
}

extension [UInt8] {
    /// Appends in bulk. `append(contentsOf:)` takes no span, and byte by byte is ten times slower.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
