import Glibc
package import Platform

/// The addresses that are never called. An attacker who controls a destination's DNS record must
/// not be able to read a cloud's metadata service at a link-local address.
///
/// Loopback and private networks of IPv4 are allowed: the merchant's own systems are there. Unique
/// local addresses of IPv6 are refused unless they are allowed explicitly: every cloud has its
/// metadata service in that range (AWS and EKS `fd00:ec2::254` and `::23`, Google Cloud
/// `fd20:ce::254`, Oracle `fd00:c1::a9fe:a9fe`, Scaleway `fd00:42::42`, Linode
/// `fd00:a9fe:a9fe::1`), and no list of these stays complete.
/// stays complete.
package struct AddressRules: Sendable, Equatable {
    /// Networks that are allowed although the rules refuse them.
    package var allowed: [IPNetwork]

    /// Networks that are refused in addition to the built-in ones.
    package var refused: [IPNetwork]

    package init(allowed: [IPNetwork] = [], refused: [IPNetwork] = []) {
        self.allowed = allowed
        self.refused = refused
    }

    /// Why `address` is refused, for messages; nil if it may be called.
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
        // RFC 3927, RFC 4291 §2.5.6. 169.254.169.254 is where most clouds serve credentials.
        ("169.254.0.0/16", "a link-local address"), ("fe80::/10", "a link-local address"),
        // RFC 1122 §3.2.1.3: the kernel treats them as this host.
        ("0.0.0.0/8", "the unspecified address"), ("::/128", "the unspecified address"),
        ("224.0.0.0/4", "a multicast address"), ("ff00::/8", "a multicast address"),
        ("255.255.255.255/32", "the broadcast address"),
        ("240.0.0.0/4", "a reserved address"), ("fec0::/10", "a site-local address"),
        // RFC 4193.
        ("fc00::/7", "a unique local address"),
        // RFC 6890 §2.2.2. 192.0.0.192 is Oracle Cloud's metadata address.
        ("192.0.0.0/24", "a protocol's own address"),
        // RFC 8215: the network decides what a translator makes of it.
        ("64:ff9b:1::/48", "a translated address"),
        // Metadata services in networks with other uses: Alibaba Cloud, Azure.
        ("100.100.100.200/32", "a metadata address"), ("168.63.129.16/32", "a metadata address"),
    ].compactMap { text, what in IPNetwork(text).map { ($0, what) } }

    /// The IPv4 address that a translator or tunnel derives from an IPv6 address: NAT64 (RFC 6052
    /// §2.1), SIIT (RFC 2765 §2.1), ISATAP (RFC 5214 §6.1), Teredo (RFC 4380 §4), IPv4-compatible
    /// (RFC 4291 §2.5.5.1), 6to4 (RFC 3056 §2).
    private static func embedded(in address: IPAddress) -> IPAddress? {
        guard case .v6(let bytes) = address else { return nil }
        let last = IPAddress.v4(Array(bytes[12...]))
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]), bytes[4..<12].allSatisfy({ $0 == 0 }) {
            return last
        }
        if bytes[..<8].allSatisfy({ $0 == 0 }), bytes[8..<12].elementsEqual([0xFF, 0xFF, 0, 0]) {
            return last
        }
        // The universal bit may be set or not, and the network prefix is arbitrary.
        if bytes[8] & 0xFD == 0, bytes[9..<12].elementsEqual([0, 0x5E, 0xFE]) { return last }
        // The client's address, inverted.
        if bytes.starts(with: [0x20, 0x01, 0, 0]) { return .v4(bytes[12...].map { ~$0 }) }
        // ::1 and :: are not IPv4-compatible addresses.
        if bytes[..<12].allSatisfy({ $0 == 0 }), bytes[12] != 0 { return .v4(Array(bytes[12...])) }
        return bytes.starts(with: [0x20, 0x02]) ? .v4(Array(bytes[2..<6])) : nil
    }
}

extension IPAddress {
    /// The address of a socket address; nil for another family.
    init?(_ address: UnsafePointer<sockaddr>) {
        // The address follows the family and the port (sockaddr_in), and the flow label too
        // (sockaddr_in6).
        let bytes = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: self = .v4(Array(UnsafeRawBufferPointer(start: bytes + 4, count: 4)))
        case AF_INET6: self.init(v6: Array(UnsafeRawBufferPointer(start: bytes + 8, count: 16)))
        default: return nil
        }
    }
}
