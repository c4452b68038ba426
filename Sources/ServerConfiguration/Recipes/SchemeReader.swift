import Cryptography
import Providers

extension ValueReader {
    /// `hmac:`, how a system signs: of a recipe, or of an endpoint that describes it itself.
    var hmacScheme: HMACScheme? {
        guard let section = mapping() else { return nil }
        let place = section.signaturePlace()
        let algorithm = section.optional("algorithm").map { $0.choice() } ?? HMAC.Algorithm.sha256
        let kind = section.optional("kind").map { $0.choice() } ?? HMACScheme.Kind.hmac
        let keyForm = section.optional("key").map { $0.choice() } ?? HMACScheme.KeyForm.text
        let secrets =
            section.optional("secrets").map { $0.filledText() } ?? SettingRow.secretsKey
        let encoding = section.optional("encoding").map { $0.choice() } ?? HMACScheme.Encoding.hex
        let prefix = section.optional("prefix").map { $0.text() } ?? ""
        let parameter = section.optional("signatureParameter")
        let layout = layout(parameter, section.optional("separator"))
        let signs = section.optional("signs").map { $0.signedParts() } ?? [.body]
        let timestamp = section.place(of: "timestamp", "x-timestamp", parameter != nil)
        let id = section.place(of: "id", "x-id", parameter != nil)
        let refinement = section.templateRefinement()
        section.finish()
        guard let place, let algorithm, let kind, let keyForm, let secrets, let encoding,
            let prefix, let layout, let signs
        else { return nil }
        section.check(timestamp, of: "timestamp", isSigned: signs.contains(.timestamp))
        section.check(id, of: "id", isSigned: signs.contains(.id))
        var content = SignedTemplate(parts: signs, timestamp: timestamp.place, id: id.place)
        refinement(&content)
        var scheme = HMACScheme(
            at: place, algorithm: algorithm, encoding: encoding, prefix: prefix, layout: layout,
            content: content)
        scheme.kind = kind
        scheme.keyForm = keyForm
        scheme.secrets = secrets
        return scheme
    }

    private func layout(
        _ parameter: ValueReader?, _ separator: ValueReader?
    ) -> HMACScheme.Layout? {
        let between = separator.map { $0.choice(HMACScheme.Separator.self) } ?? .comma
        guard let between else { return nil }
        if let parameter {
            return parameter.filledText().map { .parameters(separator: between, signature: $0) }
        }
        return separator == nil ? .single : .list(separator: between)
    }

    /// `body`, `timestamp.body`, or a template with words in braces.
    private func signedParts() -> [SignedTemplate.Part]? {
        guard let text = filledText() else { return nil }
        if text == "body" { return [.body] }
        if text == "timestamp.body" { return SignedTemplate.timestampAndBody }
        guard let parts = SignedTemplate.parts(of: text), parts.contains(where: \.isOfTheBody)
        else {
            mistake(
                "\(quoted(text)) is not a valid value of `signs`",
                "write body, timestamp.body, or a text with {body} or {/pointer} and any of {id}, "
                    + "{timestamp}, {method}, {path}, {url}, {secret}, {header:NAME}, "
                    + "{setting:KEY}, in quotes")
            return nil
        }
        for case .pointer(let pointer) in parts where !Self.isPointer(pointer) {
            mistake(
                "\(quoted(pointer)) is not a valid JSON pointer",
                "write slashes before every name, as in {/payment/amount} (RFC 6901)")
        }
        return parts
    }

    fileprivate func forms() -> [String: SignedTemplate.Form]? {
        guard let section = mapping() else { return nil }
        var forms: [String: SignedTemplate.Form] = [:]
        for (pointer, value) in section.all { value.choice().map { forms[pointer] = $0 } }
        return forms
    }

    /// A key that has only one value.
    fileprivate func isWord(_ word: String) -> Bool {
        guard let text = text() else { return false }
        if text == word { return true }
        mistake("\(quoted(text)) is not known", "write \(word), or leave the key out")
        return false
    }
}

extension SignedTemplate.Part {
    var isOfTheBody: Bool {
        switch self {
        case .body, .pointer: true
        default: false
        }
    }
}

extension MappingReader {
    /// `header` or `pointer`: where the signature is.
    fileprivate func signaturePlace() -> HMACScheme.Place? {
        let header = optional("header")
        let pointer = optional("pointer")
        switch (header, pointer) {
        case (let header?, nil): return header.headerName().map { .header($0) }
        case (nil, let pointer?): return pointer.pointer().map { .pointer($0) }
        case (_?, _?):
            mistake("pointer", "the header is given as well", "keep one of them")
        case (nil, nil):
            requireOne(
                of: ["header", "pointer"],
                "write `header: x-signature`, or `pointer: /signature` where the body has it")
        }
        return nil
    }

    /// The keys that say more of the signed text than `signs` does.
    fileprivate func templateRefinement() -> (inout SignedTemplate) -> Void {
        let timestampForm = optional("timestampForm").flatMap { $0.choice(TimeForm.self) }
        let isObject = optional("body").map { $0.isWord("object") } ?? false
        let forms = optional("formats").flatMap { $0.forms() } ?? [:]
        let needsTolerance = optional("tolerance").map { $0.isWord("required") } ?? false
        return { content in
            content.timestampForm = timestampForm
            content.isObject = isObject
            content.forms = forms
            content.needsTolerance = needsTolerance
            let names = forms.keys.sorted().filter { !content.parts.contains(.pointer($0)) }
            for name in names {
                self.mistake(
                    "formats", "`signs` has no {\(name)}", "remove it, or write it in `signs`")
            }
            if timestampForm != nil, !content.parts.contains(.timestamp) {
                self.mistake("timestampForm", "`signs` has no {timestamp}", "remove it")
            }
            if needsTolerance, !content.parts.contains(.timestamp) {
                self.mistake("tolerance", "no time is signed", "remove it")
            }
        }
    }

    /// Where a signed value is: in `nameHeader` or in `nameParameter`.
    ///
    /// - Returns: The place, nil after a mistake or where no key is there, and the key.
    fileprivate func place(
        of name: String, _ example: String, _ hasParameters: Bool
    ) -> (place: SignedTemplate.Place?, key: String?) {
        let header = optional("\(name)Header")
        let parameter = optional("\(name)Parameter")
        if header != nil, parameter != nil {
            mistake("\(name)Parameter", "the header is given as well", "keep one of them")
        }
        if parameter != nil, !hasParameters {
            mistake(
                "\(name)Parameter", "the signature's header has no parameters",
                "write `signatureParameter: v1`, or `\(name)Header: \(example)`")
        }
        if let header {
            return (header.headerName().map { .header($0) }, "\(name)Header")
        }
        return (
            parameter?.filledText().map { .parameter($0) },
            parameter == nil ? nil : "\(name)Parameter"
        )
    }

    /// Reports a signed value without a place, and a place whose value is not signed.
    fileprivate func check(
        _ given: (place: SignedTemplate.Place?, key: String?), of name: String, isSigned: Bool
    ) {
        let word = name == "timestamp" ? "time" : name
        if isSigned, given.key == nil {
            mistake(
                "\(name)Header", "this key is missing, and the signature covers a \(word)",
                "write the header that carries it: `\(name)Header: x-\(name)`, or "
                    + "`\(name)Parameter` for a parameter of the signature's header")
        }
        if !isSigned, let key = given.key {
            mistake(
                key, "the signature does not cover the \(word)",
                name == "timestamp"
                    ? "remove it, or write `signs: timestamp.body`"
                    : "remove it, or write {id} in `signs`")
        }
    }
}
