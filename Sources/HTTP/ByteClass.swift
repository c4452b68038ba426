/// Octets by their names, and the questions that the grammar asks of a single one.
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

    /// `field-vchar / SP / HTAB` (RFC 9110 §5.5): visible ASCII, white space, and obs-text.
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

    /// ASCII letters to lower case; everything else stays. Never a locale's idea of case.
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
