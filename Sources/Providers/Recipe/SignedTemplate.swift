/// The text that a system computes its code over: texts of its own and parts of the request, as
/// in `{timestamp}.{body}`.
public struct SignedTemplate: Sendable, Equatable, Codable {
    /// One piece of the text.
    public enum Part: Sendable, Equatable, Codable {
        case literal([UInt8])
        /// The id of the notification, from ``SignedTemplate/id``.
        case id
        /// The time of signing, from ``SignedTemplate/timestamp``.
        case timestamp
        case method
        /// The path that the provider calls, without the query.
        case path
        /// The body's exact bytes.
        case body
        /// The setting `notificationURL`, byte for byte: the URL that the provider was given.
        case url
        /// The secret itself, in a plain hash.
        case secret
        /// A header's value, by its name in lower case.
        case header(String)
        /// The text of a setting.
        case setting(String)
        /// A text or number of the body, by a JSON pointer; `/name` for the field of a form.
        case pointer(String)
    }

    /// A form that a signed value must have, so that its bytes cannot be another part's.
    public enum Form: String, Sendable, CaseIterable, Codable {
        /// Letters, digits, `-`, `_` and `.`; not empty.
        case word
        /// Digits only; not empty.
        case digits
        /// Exactly three digits, as a status has.
        case code
        /// Digits, a point and two or more digits, without a leading zero.
        case decimal
    }

    /// Where a signed value stands.
    public enum Place: Sendable, Equatable, CustomStringConvertible, Codable {
        /// A header of its own, in lower case.
        case header(String)
        /// A parameter of the signature's header.
        case parameter(String)

        public var description: String {
            switch self {
            case .header(let name): "header \(name)"
            case .parameter(let name): "parameter \(name)"
            }
        }

        var kind: String {
            switch self {
            case .header: "Header"
            case .parameter: "Parameter"
            }
        }
    }

    /// The pieces, in their order.
    public let parts: [Part]
    /// Where the signed time is; nil if none is signed.
    public let timestamp: Place?
    /// Where the signed id is; nil if none is signed.
    public let id: Place?

    /// How the time is written; nil takes any form.
    public var timestampForm: TimeForm?

    /// Whether the body must be a JSON object, which begins with a brace.
    public var isObject = false

    /// Forms that values of the body must have, by their pointer.
    public var forms: [String: Form] = [:]

    /// Whether the tolerance is part of the scheme, so that an endpoint cannot leave it out.
    public var needsTolerance = false

    /// Creates a template; names of headers and parameters are taken in lower case.
    public init(parts: [Part], timestamp: Place? = nil, id: Place? = nil) {
        self.parts = parts
        self.timestamp = timestamp.map(Self.lowercased)
        self.id = id.map(Self.lowercased)
    }

    /// The body alone.
    public static let body = SignedTemplate(parts: [.body])

    /// `{timestamp}.{body}`, the time taken from the header of this name.
    public static func timestampAndBody(header: String) -> SignedTemplate {
        SignedTemplate(parts: timestampAndBody, timestamp: .header(header))
    }

    /// The pieces of `{timestamp}.{body}`.
    public static let timestampAndBody: [Part] = [
        .timestamp, .literal([UInt8(ascii: ".")]), .body,
    ]

    private static let names: [(name: String, part: Part)] = [
        ("id", .id), ("timestamp", .timestamp), ("method", .method), ("path", .path),
        ("body", .body), ("url", .url), ("secret", .secret),
    ]

    /// The part that a word in braces names: also `header:NAME`, `setting:KEY` and `/pointer`.
    private static func part(_ word: Substring) -> Part? {
        if let known = names.first(where: { word == $0.name }) { return known.part }
        if word.hasPrefix("/") { return .pointer(String(word)) }
        guard let colon = word.firstIndex(of: ":") else { return nil }
        let name = String(word[colon...].dropFirst())
        guard !name.isEmpty else { return nil }
        return switch word[..<colon] {
        case "header": .header(name.lowercased())
        case "setting": .setting(name)
        default: nil
        }
    }

    /// The parts of a text such as `{timestamp}.{body}`; nil where braces hold another word or are
    /// not closed.
    public static func parts(of text: String) -> [Part]? {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if open > rest.startIndex { parts.append(.literal(Array(rest[..<open].utf8))) }
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}"),
                let known = part(rest[open..<close].dropFirst())
            else { return nil }
            parts.append(known)
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.literal(Array(rest.utf8))) }
        return parts
    }

    /// The text that ``parts(of:)`` reads.
    package var text: String {
        parts.map(Self.text).joined()
    }

    private static func text(_ part: Part) -> String {
        switch part {
        case .literal(let bytes): String(decoding: bytes, as: UTF8.self)
        case .header(let name): "{header:\(name)}"
        case .setting(let key): "{setting:\(key)}"
        case .pointer(let pointer): "{\(pointer)}"
        default: "{\(names.first { $0.part == part }?.name ?? "")}"
        }
    }

    private static func lowercased(_ place: Place) -> Place {
        if case .header(let name) = place { return .header(name.lowercased()) }
        return place
    }
}

extension SignedTemplate {
    /// - Throws: ``SettingsError`` where neither the body nor a value of it is signed, a part is
    ///   there twice, a value has no place or a place no value, or where two values touch: then one
    ///   could take bytes from the other, and one signature would prove two different contents.
    func check() throws(SettingsError) {
        for (index, part) in parts.enumerated() {
            if case .literal = part { continue }
            guard !parts[..<index].contains(part) else {
                throw SettingsError(key: "hmac.signs", message: "\(Self.text(part)) appears twice")
            }
        }
        guard parts.contains(where: \.isOfBody) else {
            throw SettingsError(key: "hmac.signs", message: "{body} is not in it")
        }
        for (part, place, key) in [(Part.timestamp, timestamp, "timestamp"), (.id, id, "id")]
        where parts.contains(part) != (place != nil) {
            let message =
                place == nil
                ? "{\(key)} is signed, but nothing says where to find it"
                : "{\(key)} is not in `signs`"
            throw SettingsError(key: "hmac.\(key)\(place?.kind ?? "Header")", message: message)
        }
        let values = Set([parts.firstIndex(of: .id), parts.firstIndex(of: .timestamp)])
        if case let places = values.compactMap(\.self).sorted(), places.count == 2 {
            let between = parts[(places[0] + 1)..<places[1]]
            let separates = between.contains { part in
                guard case .literal(let bytes) = part else { return true }
                return bytes.allSatisfy { !Self.isAlphanumeric($0) }
            }
            guard separates else {
                throw SettingsError(
                    key: "hmac.signs", message: "no separator between {id} and {timestamp}")
            }
        }
        try checkNeighbours()
    }

    /// Id, time and body have their own rules (``SignedContent``); headers and values of the body
    /// need a text behind them, or a form.
    private func checkNeighbours() throws(SettingsError) {
        for (left, right) in zip(parts, parts.dropFirst()) {
            guard left.isOfSender, right.isOfSender, left.isNamed || right.isNamed else { continue }
            let isFixed = left == .timestamp && timestampForm?.byteCount != nil
            let endsAtBrace = right == .body && isObject
            guard isFixed || endsAtBrace || hasForm(left) && hasForm(right) else {
                throw SettingsError(
                    key: "hmac.signs",
                    message: "nothing separates \(Self.text(left)) and \(Self.text(right)), so one "
                        + "could take bytes from the other",
                    remedy: "give both a form in `formats`")
            }
        }
        for pointer in forms.keys where !parts.contains(.pointer(pointer)) {
            throw SettingsError(
                key: "hmac.formats", message: "{\(pointer)} is not in `signs`")
        }
        guard timestampForm == nil || timestamp != nil else {
            throw SettingsError(key: "hmac.timestampForm", message: "no time is signed")
        }
        guard !needsTolerance || timestamp != nil else {
            throw SettingsError(key: "hmac.tolerance", message: "no time is signed")
        }
    }

    private func hasForm(_ part: Part) -> Bool {
        switch part {
        case .pointer(let pointer): forms[pointer] != nil
        case .timestamp: timestampForm?.byteCount != nil
        default: false
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    /// The text between the time and an id behind it: a time that held it could end there, too.
    var literalAfterTimestamp: [UInt8]? {
        guard let place = parts.firstIndex(of: .timestamp), parts[place...].contains(.id),
            case .literal(let bytes) = parts[place + 1]
        else { return nil }
        return bytes
    }
}

extension SignedTemplate.Part {
    /// Whether it covers the body or a value of it.
    fileprivate var isOfBody: Bool {
        switch self {
        case .body, .pointer: true
        default: false
        }
    }

    /// Whether the template names a value of the request by itself.
    var isNamed: Bool {
        switch self {
        case .header, .pointer: true
        default: false
        }
    }
}
