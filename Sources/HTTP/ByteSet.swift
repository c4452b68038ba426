/// A set of ASCII characters as a 128-bit map. Membership is two shifts without a memory access,
/// and the sets below are constants, so no lazy initialisation stands in the scanning loops.
struct ByteSet: Sendable, Equatable {
    /// Bit n stands for the character n (0 to 63).
    let low: UInt64
    /// Bit n stands for the character 64 + n.
    let high: UInt64

    /// Octets above 127 are in no set: where obs-text is allowed, the rule says so itself.
    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 128 && (word &>> UInt64(byte & 63)) & 1 == 1
    }
}

// The literals are proved against the RFC's own spelling in `ByteSetTests`.
extension ByteSet {
    /// `tchar`, RFC 9110 §5.6.2.
    static var token: ByteSet { ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

    /// What may stand in an origin-form or an absolute-form target: `unreserved`, `gen-delims`
    /// without `#`, `sub-delims` and `%` (RFC 3986 §2, RFC 9112 §3.2). A fragment is never sent.
    static var target: ByteSet { ByteSet(low: 0xAFFF_FFF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFF) }

    /// `reg-name` of RFC 3986 §3.2.2 without the comma, which would make a list of hosts.
    static var registeredName: ByteSet {
        ByteSet(low: 0x2BFF_6FF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    }

    /// What stands between the brackets of an IPv6 literal.
    static var ipv6Literal: ByteSet {
        ByteSet(low: 0x07FF_4000_0000_0000, high: 0x0000_007E_0000_007E)
    }

    /// `qdtext`, RFC 9110 §5.6.4, without obs-text.
    static var quotedText: ByteSet {
        ByteSet(low: 0xFFFF_FFFB_0000_0200, high: 0x7FFF_FFFF_EFFF_FFFF)
    }
}
