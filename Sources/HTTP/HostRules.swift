/// Checks a `Host` field or a target's authority: `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986
/// §3.2.2), but without user information, empty host, comma and IPvFuture.
enum HostRules {
    static func isValid(_ host: Span<UInt8>) -> Bool {
        guard host.count > 0 else { return false }
        let nameEnd: Int
        if host[0] == ByteClass.bracketOpen {
            guard let end = literalEnd(host) else { return false }
            nameEnd = end
        } else {
            guard let end = registeredNameEnd(host) else { return false }
            nameEnd = end
        }
        if nameEnd == host.count { return true }
        return host[nameEnd] == ByteClass.colon
            && isPort(host.extracting((nameEnd + 1)..<host.count))
    }

    /// The offset after the closing bracket of an IPv6 literal with at least two colons.
    private static func literalEnd(_ host: Span<UInt8>) -> Int? {
        var index = 1
        var colons = 0
        while index < host.count, ByteSet.ipv6Literal.contains(host[index]) {
            if host[index] == ByteClass.colon { colons += 1 }
            index += 1
        }
        guard colons >= 2, index < host.count, host[index] == ByteClass.bracketClose else {
            return nil
        }
        return index + 1
    }

    /// The offset after a non-empty name with well-formed percent-encoding.
    private static func registeredNameEnd(_ host: Span<UInt8>) -> Int? {
        var index = 0
        while index < host.count, ByteSet.registeredName.contains(host[index]) {
            if host[index] == ByteClass.percent {
                guard index + 2 < host.count, ByteClass.hexValue(host[index + 1]) != nil,
                    ByteClass.hexValue(host[index + 2]) != nil
                else { return nil }
            }
            index += 1
        }
        return index > 0 ? index : nil
    }

    /// Checks `port = *DIGIT`: it may be empty, and must be a valid TCP port.
    private static func isPort(_ port: Span<UInt8>) -> Bool {
        guard port.count <= 5 else { return false }
        var value = 0
        for index in 0..<port.count {
            guard ByteClass.isDigit(port[index]) else { return false }
            value = value * 10 + Int(port[index] &- 0x30)
        }
        return value <= 65_535
    }
}
