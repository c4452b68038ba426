/// The "natural" order of strings, in which runs of digits compare as numbers. It matches PHP's
/// `strnatcmp`, which `ksort` with `SORT_NATURAL` and thus the official PHP SDK use: white space is
/// skipped, a run that begins with `0` is compared digit by digit from the left, any other run by
/// its value.
enum NaturalOrder {
    /// Returns a negative number, zero or a positive one if `left` sorts before, equal to or after
    /// `right`.
    static func compare(_ left: some StringProtocol, _ right: some StringProtocol) -> Int {
        compare(Array(left.utf8)[...], Array(right.utf8)[...])
    }

    static func compare(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
        var comparedBytes = 0
        return compare(left, right, &comparedBytes)
    }

    /// Whether a text that begins with `beginning` (`firstSixteen` of `byteCount` bytes) sorts by
    /// its bytes among such texts: all of these bytes are above the digits and white space.
    static func isPlain(_ beginning: UInt128, byteCount: Int) -> Bool {
        let rest: UInt128 = byteCount < 16 ? .max >> UInt128(8 * byteCount) : 0
        let bytes = beginning | rest
        // Anderson, "Bit Twiddling Hacks", hasless.
        return (bytes &- ones &* UInt128(zero + 10)) & ~bytes & (ones << 7) == 0
    }

    private static let ones: UInt128 = 0x0101_0101_0101_0101_0101_0101_0101_0101

    /// Compares, and adds the number of bytes read to `comparedBytes`.
    static func compare(
        _ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>, _ comparedBytes: inout Int
    ) -> Int {
        guard !left.isEmpty && !right.isEmpty else { return left.count - right.count }
        var a = Cursor(bytes: left)
        var b = Cursor(bytes: right)
        defer { comparedBytes += a.passedBytes + b.passedBytes }
        a.skipLeadingZeros()
        b.skipLeadingZeros()
        while true {
            a.skipSpace()
            b.skipSpace()
            if isDigit(a.byte), isDigit(b.byte) {
                let isFraction = a.byte == zero || b.byte == zero
                let result = isFraction ? compareLeft(&a, &b) : compareRight(&a, &b)
                if result != 0 { return result }
                if a.isAtEnd || b.isAtEnd { return a.isAtEnd ? (b.isAtEnd ? 0 : -1) : 1 }
            }
            if a.byte != b.byte { return Int(a.byte) - Int(b.byte) }
            a.advance()
            b.advance()
            if a.isAtEnd || b.isAtEnd { return a.isAtEnd ? (b.isAtEnd ? 0 : -1) : 1 }
        }
    }

    private struct Cursor {
        private let bytes: ArraySlice<UInt8>
        private var index: Int

        init(bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            index = bytes.startIndex
        }

        /// The current byte; zero at the end, as in a C string.
        var byte: UInt8 { index < bytes.endIndex ? bytes[index] : 0 }
        var isAtEnd: Bool { index >= bytes.endIndex }
        var passedBytes: Int { index - bytes.startIndex }

        mutating func advance() { index += 1 }

        /// Skips zeros at the start that precede another digit.
        mutating func skipLeadingZeros() {
            while byte == zero, index + 1 < bytes.endIndex, isDigit(bytes[index + 1]) { index += 1 }
        }

        mutating func skipSpace() {
            while byte == 0x20 || (byte >= 0x09 && byte <= 0x0d) { index += 1 }
        }
    }

    private static let zero = UInt8(ascii: "0")

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= zero && byte <= zero + 9 }

    /// Compares two numbers: the longer run of digits is the greater; for equal lengths the first
    /// difference decides.
    private static func compareRight(_ a: inout Cursor, _ b: inout Cursor) -> Int {
        var bias = 0
        while true {
            switch (isDigit(a.byte), isDigit(b.byte)) {
            case (false, false): return bias
            case (false, true): return -1
            case (true, false): return 1
            case (true, true):
                if bias == 0 { bias = Int(a.byte) - Int(b.byte) }
                a.advance()
                b.advance()
            }
        }
    }

    /// Compares two fractions: the first difference decides.
    private static func compareLeft(_ a: inout Cursor, _ b: inout Cursor) -> Int {
        while true {
            switch (isDigit(a.byte), isDigit(b.byte)) {
            case (false, false): return 0
            case (false, true): return -1
            case (true, false): return 1
            case (true, true):
                if a.byte != b.byte { return Int(a.byte) - Int(b.byte) }
                a.advance()
                b.advance()
            }
        }
    }
}
