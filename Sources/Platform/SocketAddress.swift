import CLinux
import Glibc

/// The address of a socket or peer: IPv4 or IPv6 with a port, or a Unix-domain path.
package enum SocketAddress: Sendable, Hashable, CustomStringConvertible {
    case ip(IPAddress, port: UInt16)
    case unix(path: String)

    /// Parses `host:port`, `[::1]:port` or `unix:/path`. Host names are refused, because a listener
    /// that resolves a name might listen elsewhere after a restart.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            // sun_path holds 108 bytes including the final NUL (unix(7)).
            guard path.hasPrefix("/"), path.utf8.count < 108 else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.allSatisfy(\.isASCIIDigit), let port = UInt16(digits) else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard let address = IPAddress(String(host)) else { return nil }
        self = .ip(address, port: port)
    }

    package var description: String {
        switch self {
        case .ip(.v6(let bytes), let port): "[\(IPAddress.v6(bytes))]:\(port)"
        case .ip(let address, let port): "\(address):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    var family: Int32 {
        switch self {
        case .ip(.v4, _): AF_INET
        case .ip(.v6, _): AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Calls `body` with the kernel's form of the address.
    func withSockaddr<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        let length = fill(&storage)
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private func fill(_ storage: inout sockaddr_storage) -> socklen_t {
        withUnsafeMutableBytes(of: &storage) { raw -> socklen_t in
            switch self {
            case .ip(.v4(let bytes), let port):
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
                raw.storeBytes(of: address, as: sockaddr_in.self)
                return socklen_t(MemoryLayout<sockaddr_in>.size)
            case .ip(.v6(let bytes), let port):
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = port.bigEndian
                withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
                raw.storeBytes(of: address, as: sockaddr_in6.self)
                return socklen_t(MemoryLayout<sockaddr_in6>.size)
            case .unix(let path):
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
                raw.storeBytes(of: address, as: sockaddr_un.self)
                return socklen_t(MemoryLayout<sockaddr_un>.size)
            }
        }
    }

    /// Reads the kernel's form; an unnamed Unix-domain peer has the empty path.
    init(_ storage: sockaddr_storage) {
        self = withUnsafeBytes(of: storage) { raw in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let address = raw.load(as: sockaddr_in.self)
                let bytes = withUnsafeBytes(of: address.sin_addr) { Array($0) }
                return .ip(.v4(bytes), port: UInt16(bigEndian: address.sin_port))
            case AF_INET6:
                let address = raw.load(as: sockaddr_in6.self)
                let bytes = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
                return .ip(IPAddress(v6: bytes), port: UInt16(bigEndian: address.sin6_port))
            default:
                let path = raw.dropFirst(2).prefix { $0 != 0 }
                return .unix(path: String(decoding: path, as: UTF8.self))
            }
        }
    }
}

extension Character {
    /// Swift counts many characters as digits; an address uses only ten.
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) && isASCII }
}

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
