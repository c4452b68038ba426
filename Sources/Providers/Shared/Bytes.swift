/// Whether `left` sorts before `right` by bytes, as JavaScript's and Python's `sort` order these
/// names.
func utf8Precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}

extension [UInt8] {
    /// Whether `part` appears in these bytes.
    func holds(_ part: [UInt8]) -> Bool {
        guard part.count <= count, let first = part.first else { return part.isEmpty }
        for start in 0...(count - part.count) where self[start] == first {
            if self[start..<(start + part.count)].elementsEqual(part) { return true }
        }
        return false
    }

    /// Appends `part`. A span, unlike a slice, costs no reference count.
    mutating func append(_ part: Span<UInt8>) {
        part.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}

extension ArraySlice<UInt8> {
    /// Whether these are the bytes of `word`.
    func spells(_ word: StaticString) -> Bool { span.spells(word) }
}

extension Span<UInt8> {
    /// Whether these are the bytes of `word`.
    func spells(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        for index in indices where self[index] != word.utf8Start[index] { return false }
        return true
    }

    /// The bytes as text; invalid UTF-8 is replaced.
    var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// Whether `other` has the same bytes.
    func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// Whether these bytes sort before `other`.
    func precedes(_ other: Span<UInt8>) -> Bool {
        for index in 0..<min(count, other.count) where self[index] != other[index] {
            return self[index] < other[index]
        }
        return count < other.count
    }

    /// Returns the number of occurrences of `byte`.
    func count(of byte: UInt8) -> Int {
        var count = 0
        for offset in indices where self[offset] == byte { count += 1 }
        return count
    }

    /// Returns the first sixteen bytes of `part` as one number, padded with zeros. If two such
    /// numbers differ, their order is that of the bytes, so sorting by them reads each text once.
    func firstSixteen(of part: Range<Int>) -> UInt128 {
        var number: UInt128 = 0
        if part.lowerBound + 16 <= count {
            // Reads past a short part, but within the text; the mask drops the bytes after the
            // part.
            number = UInt128(
                bigEndian: bytes.unsafeLoadUnaligned(
                    fromByteOffset: part.lowerBound, as: UInt128.self))
            return part.count >= 16 ? number : number & ~(UInt128.max >> UInt128(8 * part.count))
        }
        for offset in 0..<16 {
            number <<= 8
            if offset < part.count { number |= UInt128(self[part.lowerBound + offset]) }
        }
        return number
    }
}
