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
