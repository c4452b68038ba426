import Cryptography
import Payments
import Providers

extension HMAC.Algorithm {
    fileprivate static let words = ["sha256", "sha512"]
}

/// What an `hmac` section may say the code is computed over.
private enum SignedContent: String, CaseIterable {
    /// The body's exact bytes.
    case body
    /// The value of `timestampHeader`, a full stop, the body.
    case timestampAndBody = "timestamp.body"
}

extension ValueReader {
    /// `hmac:`, how a configured system signs.
    var hmacScheme: HMACScheme? {
        guard let section = mapping() else { return nil }
        let header = section.required("header", "write `header: x-signature`")?.headerName()
        let algorithm = section.optional("algorithm").map { $0.algorithm() } ?? .sha256
        let encoding = section.optional("encoding").map { $0.choice() } ?? HMACScheme.Encoding.hex
        let prefix = section.optional("prefix").map { $0.text() } ?? ""
        let signs = section.optional("signs").map { $0.choice() } ?? SignedContent.body
        let timestampPlace = section.optional("timestampHeader")
        let timestampHeader = timestampPlace?.headerName()
        section.finish()
        if signs == .timestampAndBody, timestampPlace == nil {
            section.mistake(
                "timestampHeader", "this key is missing, and the signature covers a time",
                "write the header that carries it: `timestampHeader: x-timestamp`")
        }
        if signs == .body, timestampPlace != nil {
            section.mistake(
                "timestampHeader", "the signature does not cover the time",
                "remove it, or write `signs: timestamp.body`")
        }
        guard let header, let algorithm, let encoding, let prefix, let signs else { return nil }
        let content: HMACScheme.Content
        switch (signs, timestampHeader) {
        case (.timestampAndBody, let name?): content = .timestampAndBody(header: name)
        default: content = .body
        }
        return HMACScheme(
            header: header, algorithm: algorithm, encoding: encoding, prefix: prefix,
            content: content)
    }

    private func algorithm() -> HMAC.Algorithm? {
        guard let word = text() else { return nil }
        if let algorithm = HMAC.Algorithm(rawValue: word) { return algorithm }
        mistake(
            "\(quoted(word)) is not known",
            Suggestion.remedy(for: word, among: HMAC.Algorithm.words))
        return nil
    }

    /// A field name (RFC 9110 §5.6.2 token) in lower case.
    private func headerName() -> String? {
        guard let text = filledText() else { return nil }
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        let isToken = text.utf8.allSatisfy { byte in
            marks.contains(byte) || (0x30...0x39).contains(byte)
                || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        guard isToken else {
            mistake("\(quoted(text)) is no header name", "write a name such as x-signature")
            return nil
        }
        return text.lowercased()
    }

    /// `fields:`, where in a JSON body the facts stand.
    var fieldMapping: FieldMapping? {
        guard let section = mapping() else { return nil }
        let status = section.required("status", "write the pointer to it: `status: /status`")?
            .pointer()
        var fields = FieldMapping(status: status ?? "")
        fields.identity =
            section.optional("identity")?.sequence()?.compactMap { $0.pointer() } ?? []
        fields.reference = section.optional("reference")?.pointer()
        fields.transaction = section.optional("transaction")?.pointer()
        fields.action = section.optional("action")?.pointer()
        fields.amount = section.optional("amount")?.pointer()
        section.optional("amountForm")?.choice().map { fields.amountForm = $0 }
        fields.currency = section.optional("currency")?.currencySource()
        fields.occurred = section.optional("occurred")?.pointer()
        fields.statuses = statuses(section.optional("statuses")?.mapping())
        section.finish()
        return status == nil ? nil : fields
    }

    private func statuses(_ words: MappingReader?) -> [String: Happening] {
        var statuses: [String: Happening] = [:]
        for (word, value) in words?.all ?? [] {
            value.choice(Happening.self).map { statuses[word] = $0 }
        }
        return statuses
    }

    /// A JSON pointer (RFC 6901).
    private func pointer() -> String? {
        guard let text = text() else { return nil }
        var isGood = text.hasPrefix("/")
        // §3: a tilde is only ever part of ~0 or ~1.
        for part in text.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
        where part.first != "0" && part.first != "1" {
            isGood = false
        }
        guard isGood else {
            mistake(
                "\(quoted(text)) is no JSON pointer",
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
