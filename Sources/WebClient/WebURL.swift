import CCurl
package import Platform

/// An `http` or `https` URL as libcurl parses it, so that what is checked here is what is called
/// later.
package struct WebURL: Sendable, Hashable {
    /// A fault of a text. It never quotes the text, which may hold a password.
    package enum Mistake: String, Error, Sendable {
        case form = "is not a valid URL"
        case scheme = "is neither http nor https"
        case credentials = "holds a user name or a password"
        case fragment = "has a fragment (#…), which is never sent"
    }

    package let scheme: String
    /// A name or an address, IPv6 without brackets. `2130706433` and `0x7f.1` are normalised to
    /// `127.0.0.1`, as a resolver would read them.
    package let host: String
    package let port: UInt16
    /// Path and query.
    package let target: String

    package init(_ text: String) throws(Mistake) {
        // libcurl accepts spaces and non-ASCII bytes in some places; proxies and logs do not.
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let parsed = curl_url() else {
            throw .form
        }
        defer { curl_url_cleanup(parsed) }
        guard curl_url_set(parsed, CURLUPART_URL, text, 0) == CURLUE_OK else {
            // libcurl does not know this scheme.
            throw text.contains("://") && !text.lowercased().hasPrefix("http") ? .scheme : .form
        }
        func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
            var value: UnsafeMutablePointer<CChar>?
            guard curl_url_get(parsed, part, &value, flags) == CURLUE_OK, let value else {
                return nil
            }
            defer { curl_free(value) }
            return String(cString: value)
        }
        guard let scheme = part(CURLUPART_SCHEME), ["http", "https"].contains(scheme) else {
            throw .scheme
        }
        // libcurl accepts `https:/shop` and `https:///shop` as `https://shop`, but something is
        // probably missing.
        let rest = text.drop { $0 != ":" }.dropFirst()
        guard rest.hasPrefix("//"), !rest.hasPrefix("///") else { throw .form }
        if part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil { throw .credentials }
        if part(CURLUPART_FRAGMENT) != nil { throw .fragment }
        guard let host = part(CURLUPART_HOST), let path = part(CURLUPART_PATH),
            // A zone selects a network interface.
            part(CURLUPART_ZONEID) == nil,
            let digits = part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)),
            let port = UInt16(digits), port > 0
        else { throw .form }
        self.scheme = scheme
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        target = path + (part(CURLUPART_QUERY).map { "?\($0)" } ?? "")
    }

    package var usesTLS: Bool { scheme == "https" }

    /// The address, if the host is one and not a name.
    package var address: IPAddress? { IPAddress(host) }

    /// Scheme, host and port, e.g. `https://shop.example`.
    package var origin: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(name)" + (port == (usesTLS ? 443 : 80) ? "" : ":\(port)")
    }
}

extension WebURL {
    /// The URL for people: its query may hold a secret.
    package var withoutQuery: String { origin + target.prefix { $0 != "?" } }
}

extension WebURL: CustomStringConvertible {
    package var description: String { origin + target }
}
