import Glibc
import Platform

/// Which addresses are never called. Somebody who can write a destination's DNS record must not be
/// able to read what a cloud tells its machines at an address of the link.
///
/// Loopback and private networks are fine: the merchant's own systems stand there.
package struct AddressRules: Sendable, Equatable {
    /// Networks that are called although they are among the refused.
    package var allowed: [IPNetwork]

    /// Networks that are refused beside the usual ones.
    package var refused: [IPNetwork]

    package init(allowed: [IPNetwork] = [], refused: [IPNetwork] = []) {
        self.allowed = allowed
        self.refused = refused
    }

    /// Why `address` is not called, for people; nil when it may be.
    package func refusal(of address: IPAddress) -> String? {
        let inner = Self.embedded(in: address) ?? address
        if allowed.contains(where: { $0.contains(address) || $0.contains(inner) }) { return nil }
        if refused.contains(where: { $0.contains(inner) }) { return "\(address) is refused" }
        guard let rule = Self.alwaysRefused.first(where: { $0.network.contains(inner) }) else {
            return nil
        }
        return "\(address) is \(rule.what)"
    }

    private static let alwaysRefused: [(network: IPNetwork, what: String)] = [
        // RFC 3927, RFC 4291 §2.5.6. 169.254.169.254 is where most clouds tell credentials.
        ("169.254.0.0/16", "a link-local address"), ("fe80::/10", "a link-local address"),
        // RFC 1122 §3.2.1.3: the kernel takes them for this host.
        ("0.0.0.0/8", "the unspecified address"), ("::/128", "the unspecified address"),
        ("224.0.0.0/4", "a multicast address"), ("ff00::/8", "a multicast address"),
        ("255.255.255.255/32", "the broadcast address"),
        // Where clouds tell their machines something beside the addresses of the link: AWS, Google
        // Cloud, Alibaba Cloud, Oracle Cloud, Azure.
        ("fd00:ec2::254/128", "a metadata address"), ("fd20:ce::254/128", "a metadata address"),
        ("100.100.100.200/32", "a metadata address"), ("192.0.0.192/32", "a metadata address"),
        ("168.63.129.16/32", "a metadata address"),
    ].compactMap { text, what in IPNetwork(text).map { ($0, what) } }

    /// The IPv4 address that a translator or an old tunnel makes of an IPv6 address: NAT64
    /// (RFC 6052 §2.1), IPv4-compatible (RFC 4291 §2.5.5.1), 6to4 (RFC 3056 §2).
    private static func embedded(in address: IPAddress) -> IPAddress? {
        guard case .v6(let bytes) = address else { return nil }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]), bytes[4..<12].allSatisfy({ $0 == 0 }) {
            return .v4(Array(bytes[12...]))
        }
        // ::1 and :: are addresses of their own.
        if bytes[..<12].allSatisfy({ $0 == 0 }), bytes[12] != 0 { return .v4(Array(bytes[12...])) }
        return bytes.starts(with: [0x20, 0x02]) ? .v4(Array(bytes[2..<6])) : nil
    }
}

extension IPAddress {
    /// Of a socket's address; nil for another family.
    init?(_ address: UnsafePointer<sockaddr>) {
        // Behind the family and the port (sockaddr_in), and the flow too (sockaddr_in6).
        let bytes = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: self = .v4(Array(UnsafeRawBufferPointer(start: bytes + 4, count: 4)))
        case AF_INET6: self.init(v6: Array(UnsafeRawBufferPointer(start: bytes + 8, count: 16)))
        default: return nil
        }
    }
}
