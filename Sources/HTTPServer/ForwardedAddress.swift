import Bytes
import HTTP
import Platform

/// Finds the client's address in the header that trusted proxies append to.
///
/// Each proxy appends the address that called it, so the list is read from the right: an entry
/// counts only if everything to its right is a trusted proxy. Entries further left come from an
/// untrusted sender.
enum ForwardedAddress {
    static func client(of request: Request, peer: SocketAddress, proxy: ProxySettings) -> IPAddress?
    {
        var client: IPAddress?
        if case .ip(let address, _) = peer {
            client = address
            guard proxy.trusts(address) else { return client }
        }
        guard let header = proxy.header else { return client }
        let fields = request.values(header.rawValue)
        let entries = fields.flatMap {
            $0.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        }
        for entry in entries.reversed() {
            guard let address = address(in: entry, header: header) else { return client }
            client = address
            guard proxy.trusts(address) else { return client }
        }
        return client
    }

    private static func address(
        in entry: ArraySlice<UInt8>, header: ProxySettings.Header
    ) -> IPAddress? {
        switch header {
        case .forwardedFor:
            return parse(String(decoding: entry.trimmingBlanks, as: UTF8.self))
        case .forwarded:
            // RFC 7239 §4: pairs separated by semicolons; the client is `for=`, perhaps quoted.
            for pair in entry.split(separator: UInt8(ascii: ";")) {
                let text = String(decoding: pair.trimmingBlanks, as: UTF8.self)
                guard text.lowercased().hasPrefix("for=") else { continue }
                var node = text.dropFirst(4)
                if node.count >= 2, node.first == "\"", node.last == "\"" {
                    node = node.dropFirst().dropLast()
                }
                return parse(String(node))
            }
            return nil
        }
    }

    /// An address, with or without a port, IPv6 with or without brackets.
    private static func parse(_ text: String) -> IPAddress? {
        if let address = IPAddress(text) { return address }
        if text.hasPrefix("["), text.hasSuffix("]") {
            return IPAddress(String(text.dropFirst().dropLast()))
        }
        if case .ip(let address, _)? = SocketAddress(text) { return address }
        return nil
    }
}
