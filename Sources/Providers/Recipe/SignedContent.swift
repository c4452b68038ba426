import Bytes
import JSON
import Payments

/// A ``SignedTemplate`` made ready for one endpoint.
struct SignedContent: Sendable {
    private enum Piece: Sendable {
        /// A text of the template or of a setting.
        case constant([UInt8])
        case method, path, body, secret
        case id(end: Boundary)
        case timestamp(end: Boundary)
        case header(String, end: Boundary)
        case pointer(PointerPath, name: String, form: SignedTemplate.Form?, end: Boundary)
    }

    /// The bytes that a value may not hold, because it would then be unclear where it ends.
    private struct Boundary: Sendable {
        /// The text behind it, where another value follows; empty where none does.
        var text: [UInt8] = []
        /// Whether the document follows.
        var isBeforeBody = false

        /// Whether the text behind a value begins where the value ends, and not before: `a|` and
        /// `||` could also be `a` and a value that begins with a bar.
        func fits(_ value: ArraySlice<UInt8>) -> Bool {
            text.isEmpty || !(Array(value) + text.dropLast()).holds(text)
        }
    }

    private let template: SignedTemplate
    private let pieces: [Piece]
    private let literalAfterTimestamp: [UInt8]?

    /// The place of the secret among the parts.
    let secretPlace: Int?

    /// - Throws: ``SettingsError`` for a setting that the template names and that is missing.
    init(_ template: SignedTemplate, _ settings: EndpointSettings) throws(SettingsError) {
        self.template = template
        var pieces: [Piece] = []
        for (index, part) in template.parts.enumerated() {
            switch part {
            case .literal(let bytes): pieces.append(.constant(bytes))
            case .url: pieces.append(.constant(try Self.text("notificationURL", settings)))
            case .setting(let key): pieces.append(.constant(try Self.text(key, settings)))
            case .id: pieces.append(.id(end: Self.boundary(template.parts, index)))
            case .timestamp:
                pieces.append(.timestamp(end: Self.boundary(template.parts, index)))
            case .method: pieces.append(.method)
            case .path: pieces.append(.path)
            case .body: pieces.append(.body)
            case .secret: pieces.append(.secret)
            case .header(let name):
                pieces.append(.header(name, end: Self.boundary(template.parts, index)))
            case .pointer(let pointer):
                guard let path = PointerPath(pointer) else {
                    throw SettingsError(
                        key: "hmac.signs", message: "\(pointer) is not a JSON pointer (RFC 6901)")
                }
                pieces.append(
                    .pointer(
                        path, name: pointer, form: template.forms[pointer],
                        end: Self.boundary(template.parts, index)))
            }
        }
        self.pieces = pieces
        literalAfterTimestamp = template.literalAfterTimestamp
        secretPlace = template.parts.firstIndex(of: .secret)
    }

    /// Whether values of the body are signed one by one.
    var readsBody: Bool {
        pieces.contains { if case .pointer = $0 { true } else { false } }
    }

    /// The refusal of a body that does not begin with a brace.
    private static func notAnObject(_ body: [UInt8]) -> Refusal {
        let beginsJSON =
            body.first.map { Array("[\"-0123456789tfn \t\r\n".utf8).contains($0) } ?? false
        return beginsJSON
            ? .malformed("body_not_object", "the body is not a JSON object")
            : .malformed("json_syntax", "at byte 0 of the body")
    }

    /// The signed parts; an empty one where the secret belongs.
    ///
    /// - Throws: ``Refusal`` for a value that is missing, or whose form would let bytes move from
    ///   one part to another: `body_not_object`, `signed_value_missing`, `signed_value_malformed`.
    func parts(
        _ delivery: SignedRequest, id: ArraySlice<UInt8>, timestamp: ArraySlice<UInt8>,
        _ body: JSONValue?
    ) throws(Refusal) -> [ArraySlice<UInt8>] {
        guard !template.isObject || delivery.body.first == UInt8(ascii: "{") else {
            throw Self.notAnObject(delivery.body)
        }
        var parts: [ArraySlice<UInt8>] = []
        parts.reserveCapacity(pieces.count)
        for piece in pieces {
            switch piece {
            case .constant(let bytes): parts.append(bytes[...])
            case .id(let end):
                try Self.check(id, nil, end, "id")
                parts.append(id)
            case .timestamp(let end):
                try Self.check(timestamp, nil, end, "timestamp")
                parts.append(timestamp)
            case .method: parts.append(Array(delivery.method.utf8)[...])
            case .path: parts.append(delivery.path)
            case .body: parts.append(delivery.body[...])
            case .secret: parts.append([])
            case .header(let name, let end):
                let value = try delivery.single(name)
                try Self.check(value, nil, end, name)
                parts.append(value)
            case .pointer(let path, let name, let form, let end):
                guard let value = body.flatMap({ path.value(in: $0) }),
                    value.kind == .string || value.kind == .number
                else {
                    throw .unauthenticated("signed_value_missing", "the body has no \(name)")
                }
                let bytes = value.utf8 ?? value.rawBytes
                try Self.check(bytes, form, end, name)
                parts.append(bytes)
            }
        }
        return parts
    }

    /// - Throws: ``Refusal``: `id_malformed`.
    func identifier(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> String {
        // A space at an end could be the document's, which may begin or end with one.
        guard bytes.isWord, bytes.first != Self.space, bytes.last != Self.space,
            !bytes.contains(where: Self.beginsDocument),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .unauthenticated("id_malformed", "the signed id is not valid") }
        return text
    }

    /// The signed time; nil where it is in no known form and nothing depends on it.
    ///
    /// Neither id nor time may hold what begins a JSON document: so no part of the body can pass
    /// for theirs. Where both are signed, the time has to be one and may not hold the text between
    /// the two, so that no byte can move from one to the other and make another id of the same
    /// signature.
    ///
    /// - Throws: ``Refusal``: `timestamp_malformed`.
    func moment(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> Timestamp? {
        guard !bytes.contains(where: Self.beginsDocument) else { throw Self.timestampMalformed }
        let text = String(decoding: bytes, as: UTF8.self)
        let moment: Timestamp?
        if let form = template.timestampForm {
            moment = form.signedMoment(text)
            guard moment != nil else { throw Self.timestampMalformed }
        } else {
            moment = Timestamp(lenient: text)
        }
        if template.id != nil {
            let isShortNumber = bytes.count < 10 && bytes.allSatisfy { (0x30...0x39).contains($0) }
            let endsEarly = literalAfterTimestamp.map { Array(bytes).holds($0) } ?? false
            guard moment != nil, !isShortNumber, !endsEarly else { throw Self.timestampMalformed }
        }
        return moment
    }

    static let timestampMalformed = Refusal.unauthenticated(
        "timestamp_malformed", "the signed time is not valid")

    private static let space = UInt8(ascii: " ")

    private static func beginsDocument(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
    }

    private static func check(
        _ value: ArraySlice<UInt8>, _ form: SignedTemplate.Form?, _ end: Boundary, _ name: String
    ) throws(Refusal) {
        let isRight =
            (form?.fits(value) ?? true)
            && end.fits(value)
            && !(end.isBeforeBody && value.contains(where: beginsDocument))
        guard isRight else {
            throw .unauthenticated(
                "signed_value_malformed", "the signed value \(name) is not of the expected form")
        }
    }

    private static func boundary(_ parts: [SignedTemplate.Part], _ index: Int) -> Boundary {
        let rest = parts[(index + 1)...]
        // Id, time and body have rules of their own for each other.
        let needsEnd =
            parts[index].isNamed
            ? rest.contains(where: \.isOfSender)
            : rest.contains(where: \.isNamed)
        guard needsEnd else { return Boundary() }
        var boundary = Boundary(isBeforeBody: rest.contains(.body))
        if case .literal(let bytes) = rest.first { boundary.text = bytes }
        return boundary
    }

    private static func text(
        _ key: String, _ settings: EndpointSettings
    ) throws(SettingsError) -> [UInt8] {
        guard case .text(let text) = settings[key], !text.isEmpty else {
            throw SettingsError(key: key, message: "it is needed: the signature covers it")
        }
        return Array(text.utf8)
    }
}

extension SignedTemplate.Part {
    /// Whether whoever sends a request chooses it.
    var isOfSender: Bool {
        switch self {
        case .id, .timestamp, .body, .header, .pointer: true
        case .literal, .method, .path, .url, .secret, .setting: false
        }
    }
}

extension SignedTemplate.Form {
    func fits(_ value: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .word:
            !value.isEmpty
                && value.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                        || byte == UInt8(ascii: ".")
                }
        case .digits: !value.isEmpty && Self.areDigits(value)
        case .code: value.count == 3 && Self.areDigits(value)
        case .decimal:
            if let point = value.firstIndex(of: UInt8(ascii: ".")) {
                Self.areDigits(value[..<point]) && point > value.startIndex
                    && (value.first != UInt8(ascii: "0") || point == value.startIndex + 1)
                    && value[(point + 1)...].count >= 2 && Self.areDigits(value[(point + 1)...])
            } else {
                false
            }
        }
    }

    private static func areDigits(_ value: ArraySlice<UInt8>) -> Bool {
        value.allSatisfy { (0x30...0x39).contains($0) }
    }
}

extension TimeForm {
    /// The number of bytes that a signed time in this form has; nil where it varies.
    var byteCount: Int? {
        switch self {
        case .seconds: 10
        case .milliseconds: 13
        case .iso8601: nil
        }
    }

    /// The same as ``moment(_:)``, of exactly that many digits: no digit can move to a neighbour.
    func signedMoment(_ text: String) -> Timestamp? {
        byteCount == nil || byteCount == text.utf8.count ? moment(text) : nil
    }
}
