import Payments
import Providers

extension ValueReader {
    /// Keys that every endpoint has, and keys with a meaning of their own.
    private static var endpointKeys: Set<String> {
        ["name", "path", "publicPath", "provider", "allow", "inquiry", "hmac", "fields"]
    }

    private static var kinds: [String] {
        [
            "secrets", "secret", "text", "url", "seconds", "mode", "capture", "currency", "word",
            "pointers", "words",
        ]
    }

    /// One of `settings:`, by which an endpoint of the provider is configured.
    func recipeSetting(_ key: String) -> RecipeSetting? {
        guard let section = mapping() else { return nil }
        checkKey(key)
        let kind = section.settingKind()
        var setting = RecipeSetting(key, kind ?? .text)
        setting.help = section.optional("help").flatMap { $0.filledText() } ?? ""
        setting.dashboard = section.optional("dashboard").flatMap { $0.filledText() }
        if let place = section.optional("default") {
            setting.standard = place.settingValue(setting.kind)
        }
        setting.isRequired = section.optional("required").flatMap { $0.bool() }
        if let place = section.optional("sandbox") {
            setting.sandbox = place.settingValue(setting.kind)
        }
        setting.account = section.optional("account").flatMap { $0.accountHint() }
        if setting.help.isEmpty, kind?.needsHelp == true {
            section.mistake(
                "help", "this key is missing", "write in one clause what the value is")
        }
        section.finish()
        return kind == nil ? nil : setting
    }

    private func checkKey(_ key: String) {
        let isWord = key.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
        }
        if !isWord || key.utf8.count > 64 {
            mistake("\(quoted(key)) is not a valid key", "use letters and digits: merchantID")
        } else if Self.endpointKeys.contains(key) {
            mistake("every endpoint has a key of this name already", "choose another one")
        }
    }

    private func accountHint() -> AccountHint? {
        guard let section = mapping() else { return nil }
        let code = section.required("code", "write a word: `code: wrong_merchant`")?.filledText()
        let sentence = section.required(
            "sentence", "write what `ipnd explain` says: `sentence: it is for another merchant`")?
            .filledText()
        let header = section.optional("header")?.headerName()
        section.finish()
        guard let code, let sentence else { return nil }
        return AccountHint(code: code, sentence: sentence, header: header)
    }

    /// A value of a setting as the recipe gives it.
    private func settingValue(_ kind: RecipeSetting.Kind) -> SettingValue? {
        switch kind {
        case .secrets, .secret:
            mistake("a secret has no such value", "remove it")
            return nil
        case .seconds: return integer(in: 1...31_536_000).map { .integer($0) }
        case .pointers: return sequence().map { .texts($0.compactMap { $0.pointer() }) }
        case .words: return words().map { .texts($0) }
        case .text, .url: return filledText().map { .text($0) }
        case .mode: return choice(EndpointSettings.Mode.self).map { .text($0.rawValue) }
        case .capture: return choice(EndpointSettings.Capture.self).map { .text($0.rawValue) }
        case .word(let oneOf):
            guard let word = filledText() else { return nil }
            if oneOf.contains(word) { return .text(word) }
            mistake(
                "\(quoted(word)) is not one of its words",
                Suggestion.remedy(for: word, among: oneOf))
            return nil
        case .currency:
            guard let code = filledText() else { return nil }
            if Currency(listed: code) != nil { return .text(code) }
            mistake("\(quoted(code)) is not a currency", "write three capital letters")
            return nil
        }
    }

    fileprivate func settingKindWord() -> String? {
        guard let word = text() else { return nil }
        if Self.kinds.contains(word) { return word }
        mistake(
            "\(quoted(word)) is not known", Suggestion.remedy(for: word, among: Self.kinds))
        return nil
    }
}

extension MappingReader {
    fileprivate func settingKind() -> RecipeSetting.Kind? {
        let word = required("kind", "write `kind: text`, or another one of config/recipes.md")?
            .settingKindWord()
        let oneOf = optional("oneOf")
        if let oneOf, word != "word" {
            mistake("oneOf", "only a setting of kind `word` has it", "remove it")
            _ = oneOf
        }
        switch word {
        case "secrets": return .secrets
        case "secret": return .secret
        case "text": return .text
        case "url": return .url
        case "seconds": return .seconds
        case "mode": return .mode
        case "capture": return .capture
        case "currency": return .currency
        case "pointers": return .pointers
        case "words": return .words
        case "word":
            if oneOf == nil {
                mistake("oneOf", "this key is missing", "list the words: `oneOf: [a, b]`")
            }
            return .word(oneOf: oneOf?.words() ?? [])
        default: return nil
        }
    }
}

extension RecipeSetting.Kind {
    /// Whether the value needs a text that explains it.
    fileprivate var needsHelp: Bool {
        switch self {
        case .secrets, .seconds, .mode, .capture, .currency: false
        case .secret, .text, .url, .word, .pointers, .words: true
        }
    }
}
