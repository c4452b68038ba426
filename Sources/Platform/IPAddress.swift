import Glibc

/// An IPv4 or IPv6 address, in network byte order.
package enum IPAddress: Sendable, Hashable, CustomStringConvertible {
    case v4([UInt8])
    case v6([UInt8])

    /// Parses the text form that `inet_pton` accepts: no host names, no zone, no octal.
    package init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self = .v4(withUnsafeBytes(of: v4) { Array($0) })
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        self.init(v6: withUnsafeBytes(of: v6) { Array($0) })
    }

    /// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2) becomes the IPv4
    /// address, so that networks in the configuration also match on a dual-stack listener.
    package init(v6 bytes: [UInt8]) {
        if bytes[0..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            self = .v4(Array(bytes[12...]))
        } else {
            self = .v6(bytes)
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .v4(let bytes), .v6(let bytes): bytes
        }
    }

    package var description: String {
        switch self {
        case .v4(let bytes): Self.dotted(bytes)
        case .v6(let bytes): Self.colonSeparated(bytes)
        }
    }

    /// Formatted here because every connection needs it: a text this short allocates no memory.
    private static func dotted(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: 15) { text in
            var count = 0
            func append(_ byte: UInt8) {
                text[count] = byte
                count += 1
            }
            for byte in bytes.prefix(4) {
                if count > 0 { append(UInt8(ascii: ".")) }
                if byte >= 100 { append(UInt8(ascii: "0") + byte / 100) }
                if byte >= 10 { append(UInt8(ascii: "0") + byte / 10 % 10) }
                append(UInt8(ascii: "0") + byte % 10)
            }
            return count
        }
    }

    private static func colonSeparated(_ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A network in CIDR notation, `127.0.0.1/32` or `2001:db8::/32`; a bare address is a network of
/// one.
package struct IPNetwork: Sendable, Hashable, CustomStringConvertible {
    package let address: IPAddress
    /// Number of leading bits that are compared.
    package let prefixBits: Int

    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        let all = address.bytes.count * 8
        var bits = all
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...all).contains(given), parts[1].first != "+"
            else { return nil }
            bits = given
        }
        self.address = address
        self.prefixBits = bits
    }

    package func contains(_ other: IPAddress) -> Bool {
        let mine = address.bytes
        let theirs = other.bytes
        guard mine.count == theirs.count else { return false }
        let whole = prefixBits / 8
        guard mine[..<whole] == theirs[..<whole] else { return false }
        let rest = prefixBits % 8
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> rest)
        return mine[whole] & mask == theirs[whole] & mask
    }

    package var description: String { "\(address)/\(prefixBits)" }
}
