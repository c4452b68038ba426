import Platform

extension ValueReader {
    /// Reads an endpoint's name, which is used in file names, metric labels and command lines.
    func endpointName() -> String? {
        guard let text = filledText() else { return nil }
        let isGood = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isGood, !text.hasPrefix("."), !text.hasPrefix("-"), text.utf8.count <= 64 else {
            mistake(
                "\(quoted(text)) is not a valid endpoint name",
                "use at most 64 letters, digits, `-`, `_` and `.`, with a letter or digit first")
            return nil
        }
        return text
    }

    /// Reads the path of an endpoint. Requests are compared with it byte for byte, so everything
    /// that a client, a proxy or a provider might write in two ways is rejected here.
    func requestPath() -> String? {
        guard let text = filledText() else { return nil }
        guard let problem = Self.problem(ofPath: text) else { return text }
        mistake("\(quoted(text)) \(problem.0)", problem.1)
        return nil
    }

    private static func problem(ofPath path: String) -> (String, String)? {
        let example = "write a plain path such as /ipn/shop"
        if !path.hasPrefix("/") { return ("does not begin with a slash", example) }
        if path.contains("?") { return ("has a query", "leave out everything from the `?` on") }
        if path.contains("#") { return ("has a fragment", "leave out everything from the `#` on") }
        if path.contains("%") { return ("has percent-encoding", example) }
        // RFC 3986 §3.3: the other characters that a path may hold without encoding.
        let others = Set("-._~!$&'()*+,;=:@/".utf8)
        let isPlain = path.utf8.allSatisfy { byte in
            others.contains(byte) || (0x30...0x39).contains(byte)
                || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        if !isPlain { return ("has a character that a path cannot hold", example) }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        // Proxies merge `//` and resolve dots (RFC 3986 §5.2.4) before they pass a request on.
        if segments.dropLast().contains("") { return ("has an empty segment", example) }
        if segments.contains(".") || segments.contains("..") {
            return ("has a dot segment", example)
        }
        if path.utf8.count > 1024 { return ("has more than 1024 characters", example) }
        return nil
    }

    /// Records that `text` is used here, and reports an earlier use.
    func claim(_ text: String, in seen: inout [String: ValueReader]) {
        guard let first = seen[text] else {
            seen[text] = self
            return
        }
        let line = first.node.mark.map { ":\($0.line)" } ?? ""
        let place = first.reading === reading ? first.key : "\(first.reading.file)\(line)"
        mistake("\(quoted(text)) is already used by \(place)", "choose another one")
    }

    /// Whether a mistake was reported for any key of this value or below it, except for the keys
    /// `names`.
    func hasMistakes(besides names: [String]) -> Bool {
        reading.findings.contains { finding in
            let start = self.key("")
            guard finding.severity == .mistake, finding.key.hasPrefix(start) else {
                return false
            }
            let name = finding.key.dropFirst(start.count).prefix { $0 != "." && $0 != "[" }
            return !names.contains(String(name))
        }
    }
}
