import Cryptography

/// How a configured system signs: `hmac:` of a recipe, or in the endpoint's configuration.
///
/// ```swift
/// // x-signature: sha256=<hex of HMAC-SHA256 over the body>
/// let simple = HMACScheme(header: "x-signature", prefix: "sha256=")
/// // x-signature: t=<seconds>,v1=<hex of HMAC-SHA256 over the time, a point and the body>
/// let timed = HMACScheme(
///     header: "x-signature", layout: .parameters(separator: .comma, signature: "v1"),
///     content: SignedTemplate(
///         parts: [.timestamp, .literal([46]), .body], timestamp: .parameter("t")))
/// ```
public struct HMACScheme: Sendable, Equatable, Codable {
    /// The hash function.
    public typealias Algorithm = HMAC.Algorithm

    /// The encoding of the code.
    public enum Encoding: String, Sendable, CaseIterable, Codable {
        case hex, base64
    }

    /// The function that gives the code.
    public enum Kind: String, Sendable, CaseIterable, Codable {
        case hmac
        /// A plain hash of the content, in which the secret is a part.
        case hash
    }

    /// The form in which the settings hold the key.
    public enum KeyForm: String, Sendable, CaseIterable, Codable {
        case text, hex, base64
    }

    /// Where the signature is.
    public enum Place: Sendable, Equatable, Codable {
        /// In lower case.
        case header(String)
        /// In the body: a JSON pointer; `/name` for the field of a form.
        case pointer(String)
    }

    /// The arrangement of signatures in their header.
    public enum Layout: Sendable, Equatable, Codable {
        /// One signature is the whole value.
        case single
        /// One or more, as during a rotation: any that is right is enough.
        case list(separator: Separator)
        /// `name=value` pairs, of which those of this name are signatures: `t=…,v1=…,v1=…`.
        case parameters(separator: Separator, signature: String)
    }

    /// The character between the parts of a header; none can be in a signature.
    public enum Separator: String, Sendable, CaseIterable, Codable {
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

    /// Where the signature is.
    public var place: Place
    /// The hash function.
    public var algorithm: Algorithm
    /// Whether it is an HMAC or a plain hash.
    public var kind = Kind.hmac
    /// The form from which a secret becomes the key.
    public var keyForm = KeyForm.text

    /// The key of the setting that holds the secrets.
    package var secrets = SettingRow.secretsKey
    /// The encoding of the code.
    public var encoding: Encoding

    /// The text before an encoded signature, as in `sha256=…`; empty where there is none.
    public var prefix: String
    /// The arrangement of signatures in their header.
    public var layout: Layout

    /// The text that the code is computed over.
    public var content: SignedTemplate

    /// The header that carries the signature; nil where the body does.
    package var header: String? {
        if case .header(let name) = place { name } else { nil }
    }

    /// Creates a scheme whose signature is in a header.
    public init(
        header: String, algorithm: Algorithm = .sha256, encoding: Encoding = .hex,
        prefix: String = "", layout: Layout = .single, content: SignedTemplate = .body
    ) {
        self.init(
            at: .header(header.lowercased()), algorithm: algorithm, encoding: encoding,
            prefix: prefix, layout: layout, content: content)
    }

    /// Creates a scheme whose signature is in a header or in the body.
    public init(
        at place: Place, algorithm: Algorithm = .sha256, encoding: Encoding = .hex,
        prefix: String = "", layout: Layout = .single, content: SignedTemplate = .body
    ) {
        self.place = place
        self.algorithm = algorithm
        self.encoding = encoding
        self.prefix = prefix
        self.layout = layout
        self.content = content
    }

    /// The scheme in one line, for people.
    package var summary: String {
        let name = algorithm.rawValue.uppercased()
        var text = kind == .hmac ? "HMAC-\(name)" : name
        text += " of \(content.text), \(encoding.rawValue) in "
        switch place {
        case .header(let name): text += name
        case .pointer(let pointer): text += "the body's \(pointer)"
        }
        if keyForm != .text { text += ", key in \(keyForm.rawValue)" }
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
        switch place {
        case .header(let name):
            guard Self.isToken(name) else {
                throw SettingsError(key: "hmac.header", message: "not a header name")
            }
        case .pointer(let pointer):
            guard pointer.hasPrefix("/"), PointerPath(pointer) != nil else {
                throw SettingsError(
                    key: "hmac.pointer", message: "not a JSON pointer (RFC 6901)")
            }
            guard !content.parts.contains(.body), !content.parts.contains(.pointer(pointer)) else {
                throw SettingsError(
                    key: "hmac.signs", message: "the signature cannot cover itself")
            }
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
        try checkSecret()
        try check(content.timestamp, "timestamp")
        try check(content.id, "id")
        if let place = content.timestamp, place == content.id {
            throw SettingsError(key: "hmac.id\(place.kind)", message: "the time is already there")
        }
    }

    /// In a plain hash, the code of a text gives that of a longer one, so the secret has to come
    /// last, or each value behind it needs a form.
    private func checkSecret() throws(SettingsError) {
        let place = content.parts.firstIndex(of: .secret)
        guard (place != nil) == (kind == .hash) else {
            throw SettingsError(
                key: "hmac.signs",
                message: kind == .hash ? "{secret} is not in it" : "{secret} is for `kind: hash`")
        }
        guard let place else { return }
        let isExtensible = content.parts[place...].contains { part in
            guard case .pointer(let pointer) = part else { return part.isOfSender }
            return content.forms[pointer] == nil
        }
        guard !isExtensible else {
            throw SettingsError(
                key: "hmac.signs", message: "a text behind {secret} could be made longer",
                remedy: "only values with a form in `formats` can follow it")
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
