/// The destination of requests, as a URL.
///
///     http://127.0.0.1:8080            https://pay.example/ipn/shop?id=1
///     unix:/run/ipnd/ipnd.sock         unix:/run/ipnd/ipnd.sock:/ipn/shop
///
/// The second form of `unix:` is nginx's: the request target follows the second colon.
package struct Destination: Sendable, Equatable {
    package enum Place: Sendable, Equatable {
        /// A name or an address (IPv6 without brackets).
        case host(String, port: UInt16)
        case unix(path: String)
    }

    package let place: Place
    package let usesTLS: Bool
    /// The target in origin-form (RFC 9112 §3.2.1); nil if the URL has no path.
    package let target: String?

    package init(place: Place, usesTLS: Bool = false, target: String? = nil) {
        self.place = place
        self.usesTLS = usesTLS
        self.target = target
    }

    /// Parses the forms above. User information, fragments and white space are refused rather than
    /// dropped.
    package init?(_ text: String) {
        let isPrintable = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isPrintable, !text.contains("#") else { return nil }
        if let rest = text.removing(scheme: "unix:") {
            self.init(unix: rest)
        } else if let rest = text.removing(scheme: "http://") {
            self.init(authorityAndTarget: rest, usesTLS: false)
        } else if let rest = text.removing(scheme: "https://") {
            self.init(authorityAndTarget: rest, usesTLS: true)
        } else {
            return nil
        }
    }

    private init?(unix text: Substring) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        // sun_path holds 108 bytes including the final NUL (unix(7)).
        guard let path = parts.first, path.hasPrefix("/"), path.utf8.count < 108 else { return nil }
        let target = parts.count == 2 ? String(parts[1]) : nil
        guard target?.hasPrefix("/") ?? true else { return nil }
        self.init(place: .unix(path: String(path)), target: target)
    }

    private init?(authorityAndTarget text: Substring, usesTLS: Bool) {
        let end = text.firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        let rest = text[end...]
        guard let place = Self.place(text[..<end], defaultPort: usesTLS ? 443 : 80) else {
            return nil
        }
        let target = rest.isEmpty ? nil : rest.hasPrefix("/") ? String(rest) : "/\(rest)"
        self.init(place: place, usesTLS: usesTLS, target: target)
    }

    private static func place(_ authority: Substring, defaultPort: UInt16) -> Place? {
        guard !authority.contains("@") else { return nil }
        var host = authority
        var port = defaultPort
        let closing = authority.lastIndex(of: "]")
        if let colon = authority.lastIndex(of: ":"), closing.map({ $0 < colon }) ?? true {
            let digits = authority[authority.index(after: colon)...]
            let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isNumber, let number = UInt16(digits), number > 0 else { return nil }
            port = number
            host = authority[..<colon]
        }
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        return .host(String(host), port: port)
    }

    /// The value of the `Host` header (RFC 9110 §7.2).
    package var authority: String {
        guard case .host(let host, let port) = place else { return "localhost" }
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (usesTLS ? 443 : 80) ? name : "\(name):\(port)"
    }
}

extension Destination: CustomStringConvertible {
    package var description: String {
        if case .unix(let path) = place { return "unix:\(path)" + (target.map { ":\($0)" } ?? "") }
        return (usesTLS ? "https://" : "http://") + authority + (target ?? "")
    }
}

extension String {
    /// The part after `scheme`, which is compared without regard to case (RFC 3986 §3.1).
    fileprivate func removing(scheme: String) -> Substring? {
        guard prefix(scheme.count).lowercased() == scheme else { return nil }
        return dropFirst(scheme.count)
    }
}
