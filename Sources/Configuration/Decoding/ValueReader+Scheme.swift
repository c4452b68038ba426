import Cryptography
import Payments
import Providers

extension HMAC.Algorithm {
    fileprivate static let words = ["sha256", "sha512"]
}

extension MappingReader {
    /// Reads the place of a signed value from `nameHeader` or `nameParameter`.
    ///
    /// - Returns: The place, which is nil after a mistake or where neither key is given, and the
    ///   key.
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

extension ValueReader {
    /// Reads `hmac`, the signature scheme of a configured system.
    var hmacScheme: HMACScheme? {
        guard let section = mapping() else { return nil }
        let header = section.required("header", "write `header: x-signature`")?.headerName()
        let algorithm = section.optional("algorithm").map { $0.algorithm() } ?? .sha256
        let encoding = section.optional("encoding").map { $0.choice() } ?? HMACScheme.Encoding.hex
        let prefix = section.optional("prefix").map { $0.text() } ?? ""
        let parameter = section.optional("signatureParameter")
        let layout = layout(parameter, section.optional("separator"))
        let signs = section.optional("signs").map { $0.signedParts() } ?? [.body]
        let timestamp = section.place(of: "timestamp", "x-timestamp", parameter != nil)
        let id = section.place(of: "id", "x-id", parameter != nil)
        section.finish()
        guard let header, let algorithm, let encoding, let prefix, let layout, let signs else {
            return nil
        }
        section.check(timestamp, of: "timestamp", isSigned: signs.contains(.timestamp))
        section.check(id, of: "id", isSigned: signs.contains(.id))
        return HMACScheme(
            header: header, algorithm: algorithm, encoding: encoding, prefix: prefix,
            layout: layout,
            content: SignedTemplate(parts: signs, timestamp: timestamp.place, id: id.place))
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

    /// Reads `signs`: `body`, `timestamp.body`, or a template with names in braces.
    private func signedParts() -> [SignedTemplate.Part]? {
        guard let text = filledText() else { return nil }
        if text == "body" { return [.body] }
        if text == "timestamp.body" { return SignedTemplate.timestampAndBody }
        guard let parts = SignedTemplate.parts(of: text), parts.contains(.body) else {
            mistake(
                "\(quoted(text)) is not a valid value of `signs`",
                "write body, timestamp.body, or a text with {body} and any of {id}, {timestamp}, "
                    + "{method}, {path}, in quotes")
            return nil
        }
        return parts
    }

    private func algorithm() -> HMAC.Algorithm? {
        guard let word = text() else { return nil }
        if let algorithm = HMAC.Algorithm(rawValue: word) { return algorithm }
        mistake(
            "\(quoted(word)) is not known",
            Suggestion.remedy(for: word, among: HMAC.Algorithm.words))
        return nil
    }

    /// Reads a field name (RFC 9110 §5.6.2 token) and returns it in lower case.
    fileprivate func headerName() -> String? {
        guard let text = filledText() else { return nil }
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        let isToken = text.utf8.allSatisfy { byte in
            marks.contains(byte) || (0x30...0x39).contains(byte)
                || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        guard isToken else {
            mistake(
                "\(quoted(text)) is not a valid header name", "write a name such as x-signature")
            return nil
        }
        return text.lowercased()
    }

    /// Reads `fields`, which maps the members of a JSON body to facts.
    var fieldMapping: FieldMapping? {
        guard let section = mapping() else { return nil }
        let status = section.required("status", "write the pointer to it: `status: /status`")?
            .pointer()
        var fields = FieldMapping(status: status ?? "")
        fields.statuses = statuses(section.optional("statuses")?.mapping())
        readPlaces(section, into: &fields)
        for variant in section.optional("variants")?.sequence() ?? [] {
            variant.variant(of: fields).map { fields.variants.append($0) }
        }
        section.finish()
        return status == nil ? nil : fields
    }

    /// Reads one of `variants`; keys that it leaves out are as in `fields`.
    private func variant(of fields: FieldMapping) -> FieldMapping.Variant? {
        guard let section = mapping() else { return nil }
        let when = section.required("when", "write a pointer: `when: /data/object`")?.pointer()
        let words = section.required("is", "list the values that select it: `is: [refund]`")?
            .sequence()?.compactMap { $0.filledText() }
        var own = fields
        own.variants = []
        section.optional("status")?.pointer().map { own.status = $0 }
        if let words = section.optional("statuses") { own.statuses = statuses(words.mapping()) }
        readPlaces(section, into: &own)
        section.finish()
        guard let when, let words else { return nil }
        return FieldMapping.Variant(pointer: when, words: words, fields: own)
    }

    /// Reads the keys that a mapping and its variants have in common, without the status.
    private func readPlaces(_ section: MappingReader, into fields: inout FieldMapping) {
        if let identity = section.optional("identity")?.sequence() {
            fields.identity = identity.compactMap { $0.pointer() }
        }
        section.optional("reference")?.pointer().map { fields.reference = $0 }
        section.optional("transaction")?.pointer().map { fields.transaction = $0 }
        section.optional("action")?.pointer().map { fields.action = $0 }
        section.optional("scope")?.choice().map { fields.scope = $0 }
        section.optional("amount")?.pointer().map { fields.amount = $0 }
        section.optional("amountForm")?.choice().map { fields.amountForm = $0 }
        section.optional("currency")?.currencySource().map { fields.currency = $0 }
        section.optional("occurred")?.pointer().map { fields.occurred = $0 }
        section.optional("method")?.pointer().map { fields.method = $0 }
        section.optional("agreement")?.pointer().map { fields.agreement = $0 }
    }

    private func statuses(_ words: MappingReader?) -> [String: EventType] {
        var statuses: [String: EventType] = [:]
        for (word, value) in words?.all ?? [] {
            value.choice(EventType.self).map { statuses[word] = $0 }
        }
        return statuses
    }

    /// Reads a JSON pointer (RFC 6901).
    private func pointer() -> String? {
        guard let text = text() else { return nil }
        var isGood = text.hasPrefix("/")
        // RFC 6901 §3: a tilde only occurs in ~0 and ~1.
        for part in text.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
        where part.first != "0" && part.first != "1" {
            isGood = false
        }
        guard isGood else {
            mistake(
                "\(quoted(text)) is not a valid JSON pointer",
                "write slashes before every name, as in /payment/amount (RFC 6901)")
            return nil
        }
        return text
    }

    private func currencySource() -> FieldMapping.CurrencySource? {
        guard let text = text() else { return nil }
        if text.hasPrefix("/") { return pointer().map { .pointer($0) } }
        guard Currency(text) != nil else {
            mistake(
                "\(quoted(text)) is neither a JSON pointer nor a currency",
                "write /amount/currency, or the three capital letters that always apply")
            return nil
        }
        return .fixed(text)
    }
}
