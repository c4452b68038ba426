/// Names of octets, and the grammar's classes of single octets.
enum ByteClass {
    static var tab: UInt8 { 0x09 }
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var space: UInt8 { 0x20 }
    static var quote: UInt8 { 0x22 }
    static var percent: UInt8 { 0x25 }
    static var comma: UInt8 { 0x2C }
    static var slash: UInt8 { 0x2F }
    static var colon: UInt8 { 0x3A }
    static var semicolon: UInt8 { 0x3B }
    static var equals: UInt8 { 0x3D }
    static var questionMark: UInt8 { 0x3F }
    static var bracketOpen: UInt8 { 0x5B }
    static var backslash: UInt8 { 0x5C }
    static var bracketClose: UInt8 { 0x5D }
    static var delete: UInt8 { 0x7F }

    /// `SP / HTAB`, the octets of OWS (RFC 9110 §5.6.3).
    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    /// `field-vchar / SP / HTAB` (RFC 9110 §5.5): visible ASCII, white space and obs-text.
    @inline(__always)
    static func isFieldContent(_ byte: UInt8) -> Bool {
        byte >= space ? byte != delete : byte == tab
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// The value of a `HEXDIG` in either case, or nil.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> Int? {
        if isDigit(byte) { return Int(byte &- 0x30) }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? Int(letter) + 10 : nil
    }

    /// Converts ASCII letters to lower case; other octets are unchanged. Independent of any locale.
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}

/// A set of ASCII characters as a 128-bit map. A membership test is two shifts without a memory
/// access, and the sets below are constants, so the scanning loops need no lazy initialisation.
struct ByteSet: Sendable, Equatable {
    /// Bit n represents the character n (0 to 63).
    let low: UInt64
    /// Bit n represents the character 64 + n.
    let high: UInt64

    /// Whether the set contains `byte`. Octets above 127 are in no set; rules that allow obs-text
    /// check it separately.
    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 128 && (word &>> UInt64(byte & 63)) & 1 == 1
    }
}

// `ByteSetTests` compares the literals with the RFC's own spelling.
extension ByteSet {
    /// `tchar`, RFC 9110 §5.6.2.
    static var token: ByteSet { ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

    /// Characters of an origin-form or absolute-form target: `unreserved`, `gen-delims` without
    /// `#`, `sub-delims` and `%` (RFC 3986 §2, RFC 9112 §3.2). A fragment is never sent.
    static var target: ByteSet { ByteSet(low: 0xAFFF_FFF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFF) }

    /// `reg-name` of RFC 3986 §3.2.2 without the comma, which would make a list of hosts.
    static var registeredName: ByteSet {
        ByteSet(low: 0x2BFF_6FF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    }

    /// Characters between the brackets of an IPv6 literal.
    static var ipv6Literal: ByteSet {
        ByteSet(low: 0x07FF_4000_0000_0000, high: 0x0000_007E_0000_007E)
    }

    /// `qdtext`, RFC 9110 §5.6.4, without obs-text.
    static var quotedText: ByteSet {
        ByteSet(low: 0xFFFF_FFFB_0000_0200, high: 0x7FFF_FFFF_EFFF_FFFF)
    }
}

extension Span<UInt8> {
    /// Whether these bytes equal `text`.
    func matches(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        // A literal's bytes are accessible only through this pointer, which is always valid.
        let expected = unsafe UnsafeBufferPointer(start: text.utf8Start, count: count)
        for index in 0..<count where unsafe self[index] != expected[index] { return false }
        return true
    }

    /// Whether these bytes equal `text` without regard to the case of ASCII letters. `text` is
    /// lower case.
    func matches(lowercased text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let expected = unsafe UnsafeBufferPointer(start: text.utf8Start, count: count)
        for index in 0..<count where unsafe ByteClass.lowercased(self[index]) != expected[index] {
            return false
        }
        return true
    }

    /// Whether both are equal without regard to the case of ASCII letters.
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
    /// Appends a span at once. `append(contentsOf:)` takes no span, and appending bytes one by one
    /// is ten times slower.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
