import Cryptography

/// How a configured system signs: `hmac:` in the endpoint's configuration.
package struct HMACScheme: Sendable, Equatable {
    package enum Encoding: String, Sendable, CaseIterable {
        case hex, base64
    }

    /// How signatures stand in their header.
    package enum Layout: Sendable, Equatable {
        /// One signature is the whole value.
        case single
        /// One or more, as during a rotation: any that is right is enough.
        case list(separator: Separator)
        /// `name=value` pairs, of which those of this name are signatures: `t=…,v1=…,v1=…`.
        case parameters(separator: Separator, signature: String)
    }

    /// What stands between the parts of a header; none of them can stand in a signature.
    package enum Separator: String, Sendable, CaseIterable {
        case comma = ","
        case semicolon = ";"
        case space = " "
        case bar = "|"
        case ampersand = "&"

        var byte: UInt8 {
            switch self {
            case .comma: UInt8(ascii: ",")
            case .semicolon: UInt8(ascii: ";")
            case .space: UInt8(ascii: " ")
            case .bar: UInt8(ascii: "|")
            case .ampersand: UInt8(ascii: "&")
            }
        }
    }

    /// The header that carries the signature, in lower case.
    package var header: String
    package var algorithm: HMAC.Algorithm
    package var encoding: Encoding

    /// What stands before an encoded signature, as in `sha256=…`; empty where nothing does.
    package var prefix: String
    package var layout: Layout

    /// What the code is computed over.
    package var content: SignedTemplate

    package init(
        header: String, algorithm: HMAC.Algorithm = .sha256, encoding: Encoding = .hex,
        prefix: String = "", layout: Layout = .single, content: SignedTemplate = .body
    ) {
        self.header = header.lowercased()
        self.algorithm = algorithm
        self.encoding = encoding
        self.prefix = prefix
        self.layout = layout
        self.content = content
    }

    /// The scheme in one line, for people.
    package var summary: String {
        var text = "HMAC-\(algorithm.rawValue.uppercased()) of \(content.text), "
        text += "\(encoding.rawValue) in \(header)"
        if !prefix.isEmpty { text += " after \(prefix)" }
        switch layout {
        case .single: break
        case .list: text += ", one of several"
        case .parameters(_, let signature): text += ", parameter \(signature)"
        }
        for (name, place) in [("time", content.timestamp), ("id", content.id)] {
            if let place { text += ", \(name) in \(place)" }
        }
        return text
    }
}

extension HMACScheme {
    /// - Throws: ``SettingsError`` for a header name that no header can have (RFC 9110 §5.6.2), two
    ///   uses of one name, or a place that this layout does not have.
    func check() throws(SettingsError) {
        guard Self.isToken(header) else {
            throw SettingsError(key: "hmac.header", message: "not a header name")
        }
        switch layout {
        case .single: break
        case .list(let separator): try check(separator)
        case .parameters(let separator, let signature):
            try check(separator)
            guard Self.isToken(signature) else {
                throw SettingsError(key: "hmac.signatureParameter", message: "not a name")
            }
        }
        try content.check()
        try check(content.timestamp, "timestamp")
        try check(content.id, "id")
        if let place = content.timestamp, place == content.id {
            throw SettingsError(key: "hmac.id\(place.kind)", message: "the time is already there")
        }
    }

    private func check(_ separator: Separator) throws(SettingsError) {
        guard !prefix.utf8.contains(separator.byte) else {
            throw SettingsError(key: "hmac.prefix", message: "it holds the separator")
        }
    }

    private func check(_ place: SignedTemplate.Place?, _ key: String) throws(SettingsError) {
        switch place {
        case nil: break
        case .header(let name):
            guard Self.isToken(name), name != header else {
                throw SettingsError(
                    key: "hmac.\(key)Header", message: "not the name of a header of its own")
            }
        case .parameter(let name):
            guard case .parameters(_, let signature) = layout else {
                throw SettingsError(
                    key: "hmac.\(key)Parameter", message: "it needs signatureParameter")
            }
            guard Self.isToken(name), name != signature else {
                throw SettingsError(
                    key: "hmac.\(key)Parameter", message: "not the name of a parameter of its own")
            }
        }
    }

    private static func isToken(_ name: String) -> Bool {
        let marks = "!#$%&'*+-.^_`|~".utf8
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || marks.contains(byte)
            }
    }
}
