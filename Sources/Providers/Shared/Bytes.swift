/// Order by bytes, as JavaScript's and Python's `sort` have it for these names.
func utf8Precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}

extension [UInt8] {
    /// Whether `part` stands somewhere in these bytes.
    func holds(_ part: [UInt8]) -> Bool {
        guard part.count <= count, let first = part.first else { return part.isEmpty }
        for start in 0...(count - part.count) where self[start] == first {
            if self[start..<(start + part.count)].elementsEqual(part) { return true }
        }
        return false
    }
}

extension ArraySlice<UInt8> {
    /// Whether these are the bytes of `word`.
    func spells(_ word: StaticString) -> Bool {
        let bytes = span
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        for index in 0..<bytes.count where bytes[index] != word.utf8Start[index] { return false }
        return true
    }
}

extension Span<UInt8> {
    /// How often `byte` stands here.
    func count(of byte: UInt8) -> Int {
        var count = 0
        for offset in indices where self[offset] == byte { count += 1 }
        return count
    }

    /// The first sixteen bytes of `part` as one number, zeros where it is shorter. Where two such
    /// numbers differ, their order is that of the bytes, and sorting by them looks at a text once.
    func firstSixteen(of part: Range<Int>) -> UInt128 {
        var number: UInt128 = 0
        if part.lowerBound + 16 <= count {
            // Reads past a short part, but inside the text; the mask drops what is not the part.
            number = UInt128(
                bigEndian: bytes.unsafeLoadUnaligned(
                    fromByteOffset: part.lowerBound, as: UInt128.self))
            return part.count >= 16 ? number : number & ~(UInt128.max >> UInt128(8 * part.count))
        }
        for offset in 0..<16 {
            number = number << 8 | (offset < part.count ? UInt128(self[part.lowerBound + offset]) : 0)
        }
        return number
    }
}
