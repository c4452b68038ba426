extension JSONValue {
    /// Returns the value that a JSON Pointer (RFC 6901) refers to, e.g. `/paymentAmount/value`. Nil
    /// if there is none, or if the pointer is malformed.
    package func at(pointer: String) -> JSONValue? {
        guard !pointer.isEmpty else { return self }
        guard pointer.utf8.first == UInt8(ascii: "/") else { return nil }
        var value = self
        for part in pointer.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            guard let token = Self.unescaped(part) else { return nil }
            let next =
                value.kind == .array ? value.element(token: token) : value[token]
            guard let next else { return nil }
            value = next
        }
        return value
    }

    private static func unescaped(_ token: Substring.UTF8View) -> String? {
        guard token.contains(UInt8(ascii: "~")) else { return String(Substring(token)) }
        return unescapedBytes(token).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Decodes a token (RFC 6901 §3): `~1` is a slash, `~0` a tilde, and any other tilde an error,
    /// for which it returns nil.
    package static func unescapedBytes(_ token: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = token[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return bytes
    }

    /// Returns an array element (RFC 6901 §4): an index is `0` or digits without a leading zero;
    /// `-` refers to no element.
    private func element(token: String) -> JSONValue? {
        let digits = token.utf8
        guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            digits.first != UInt8(ascii: "0") || digits.count == 1, var index = Int(token)
        else { return nil }
        for element in elements {
            if index == 0 { return element }
            index -= 1
        }
        return nil
    }
}
