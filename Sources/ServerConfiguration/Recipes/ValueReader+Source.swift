import Providers

// The small words of the recipe language: pointers, headers, sources and conditions.

extension ValueReader {
    /// A JSON pointer (RFC 6901).
    func pointer() -> String? {
        guard let text = text() else { return nil }
        if Self.isPointer(text) { return text }
        mistake(
            "\(quoted(text)) is not a valid JSON pointer",
            "write slashes before every name, as in /payment/amount (RFC 6901)")
        return nil
    }

    /// §3: every part begins with a slash, and a tilde is only ever part of ~0 or ~1.
    static func isPointer(_ text: String) -> Bool {
        text.hasPrefix("/")
            && text.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
                .allSatisfy { $0.first == "0" || $0.first == "1" }
    }

    /// A field name (RFC 9110 §5.6.2 token) in lower case.
    func headerName() -> String? {
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

    /// `true` or `false`.
    func bool() -> Bool? {
        guard let word = text() else { return nil }
        if word == "true" || word == "false" { return word == "true" }
        mistake("\(quoted(word)) is neither true nor false", "write true or false")
        return nil
    }

    /// One word, or a list of at least one.
    func words() -> [String]? {
        if case .scalar = node, !isNull { return filledText().map { [$0] } }
        guard let values = sequence() else { return nil }
        if values.isEmpty { mistake("is empty", "list at least one word") }
        return values.compactMap { $0.filledText() }
    }
}

extension ValueReader {
    private static var sourceWords: [String] {
        ["text", "header", "setting", "root", "join", "optional", "prefixed", "when", "unless"]
    }

    /// Where a value is: a pointer, a list of which the first that is there counts, or one of the
    /// words of ``sourceWords``.
    ///
    /// - Parameter allowsOptional: Whether `optional` may be written: in `identity` and `join`.
    func source(allowsOptional: Bool = false) -> Source? {
        switch node {
        case .sequence:
            guard let values = sequence() else { return nil }
            if values.isEmpty { mistake("is empty", "list at least one pointer") }
            let sources = values.compactMap { $0.source(allowsOptional: allowsOptional) }
            return sources.count == 1 ? sources[0] : .first(sources)
        case .mapping:
            return madeSource(allowsOptional)
        default:
            return pointer().map { .pointer($0) }
        }
    }

    private func madeSource(_ allowsOptional: Bool) -> Source? {
        guard let section = mapping() else { return nil }
        let given = Self.sourceWords.filter(section.contains)
        guard let word = given.first, let value = section.optional(word) else {
            for word in Self.sourceWords { _ = section.optional(word) }
            section.requireOne(
                of: Self.sourceWords, "write a pointer, or {header: NAME}, {text: TEXT} and so on")
            section.finish()
            return nil
        }
        if given.count > 1 {
            section.mistake(given[1], "`\(word)` is here as well", "keep one of them")
        }
        let source: Source?
        switch word {
        case "text": source = value.text().map { .text($0) }
        case "header": source = value.headerName().map { .header($0) }
        case "setting": source = value.filledText().map { .setting($0) }
        case "root": source = value.pointer().map { .root($0) }
        case "join": source = joined(value, section)
        case "optional":
            source = value.source().map { .optional($0) }
            if !allowsOptional {
                value.mistake(
                    "`optional` has a meaning only in `identity` and `join`",
                    "write the source without it")
            }
        default: source = wrapped(word, value, section, allowsOptional)
        }
        section.finish()
        return source
    }

    private func joined(_ value: ValueReader, _ section: MappingReader) -> Source? {
        let between = section.optional("with").map { $0.text() } ?? ""
        guard let parts = value.sequence(), let between else { return nil }
        if parts.count < 2 { value.mistake("joins nothing", "list two sources or more") }
        return .join(parts.compactMap { $0.source(allowsOptional: true) }, with: between)
    }

    /// `{prefixed: TEXT, of: SOURCE}`, `{when: CONDITION, of: SOURCE}`, `{unless: …, of: SOURCE}`.
    private func wrapped(
        _ word: String, _ value: ValueReader, _ section: MappingReader, _ allowsOptional: Bool
    ) -> Source? {
        let inner = section.required("of", "write the source: `of: /pointer`")?
            .source(allowsOptional: allowsOptional)
        if word == "prefixed" {
            guard let prefix = value.filledText(), let inner else { return nil }
            return .prefixed(prefix, of: inner)
        }
        guard let conditions = value.conditions(), let inner else { return nil }
        return word == "when" ? .when(conditions, inner) : .unless(conditions, inner)
    }
}

extension ValueReader {
    private static var tests: [String] {
        ["is", "not", "present", "startsWith", "endsWith", "differsFrom"]
    }

    /// One condition, or a list of at least one.
    func conditions() -> [Condition]? {
        if case .mapping = node { return condition().map { [$0] } }
        guard let values = sequence() else { return nil }
        if values.isEmpty {
            mistake("is empty", "write a condition: `{at: /type, is: [refund]}`")
        }
        return values.compactMap { $0.condition() }
    }

    private func condition() -> Condition? {
        guard let section = mapping() else { return nil }
        let subject = section.subject()
        let given = Self.tests.filter(section.contains)
        if given.isEmpty {
            for test in Self.tests { _ = section.optional(test) }
            section.requireOne(of: Self.tests, "say what must hold: `is: [refund]`")
        }
        if given.count > 1 {
            section.mistake(
                given[1], "`\(given[0])` is here as well",
                "keep one of them, or write two conditions")
        }
        let test = given.first.flatMap { name in
            section.optional(name).flatMap { $0.test(name) }
        }
        section.finish()
        guard let subject, let test else { return nil }
        return Condition(subject, test)
    }

    private func test(_ name: String) -> Condition.Test? {
        switch name {
        case "is": words().map { .isOneOf($0) }
        case "not": words().map { .isNoneOf($0) }
        case "present": bool().map { .isPresent($0) }
        case "startsWith": words().map { .startsWith($0) }
        case "endsWith": words().map { .endsWith($0) }
        default: source().map { .differsFrom($0) }
        }
    }
}

extension MappingReader {
    /// `at`, `header` or `setting`: the subject of a condition or a requirement.
    func subject() -> Source? {
        let names = ["at", "header", "setting"]
        let places = names.compactMap { name in optional(name).map { (name, $0) } }
        guard let (name, place) = places.first else {
            requireOne(of: names, "say what is looked at: `at: /type`")
            return nil
        }
        if places.count > 1 {
            mistake(places[1].0, "`\(name)` is here as well", "keep one of them")
        }
        return switch name {
        case "at": place.source()
        case "header": place.headerName().map { .header($0) }
        default: place.filledText().map { .setting($0) }
        }
    }
}
