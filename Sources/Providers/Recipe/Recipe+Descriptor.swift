import Payments

extension Recipe {
    /// The provider that the recipe describes, like one that has a folder.
    package var descriptor: ProviderDescriptor {
        let recipe = self
        let part = WrittenPart.all[name]
        var descriptor = ProviderDescriptor(
            name: name, title: title,
            settings: settings.map { $0.row(of: recipe) } + (part?.settings ?? []),
            marks: marks, urlPlace: urlPlace,
            make: { (settings) throws(SettingsError) in
                try RecipeProvider(recipe, settings: settings)
            },
            makeSender: { (settings) throws(SettingsError) in
                try RecipeSender(recipe, settings: settings)
            }, inquiry: part?.inquiry(recipe))
        if case .token = proof {
            descriptor.warnings = [
                ProviderWarning(
                    problem: "\(title) signs nothing: whoever sees one request can write others",
                    remedy: "list the networks of its senders as `allow`, and register the sums of "
                        + "orders", isSettledByAllow: true)
            ]
        }
        return descriptor
    }

    /// The settings with the defaults of what was left out.
    ///
    /// - Throws: ``SettingsError`` for a setting that is missing or of another form.
    func completed(_ given: EndpointSettings) throws(SettingsError) -> EndpointSettings {
        var completed = given
        for setting in settings {
            guard let value = given[setting.key] else {
                guard let standard = setting.standard else {
                    // The proof says by itself what is wrong with the secrets.
                    guard !setting.mustBeGiven || setting.kind == .secrets else {
                        throw SettingsError(key: setting.key, message: "it is needed")
                    }
                    continue
                }
                completed[setting.key] = standard
                continue
            }
            if let problem = setting.problem(value) {
                throw SettingsError(key: setting.key, message: problem)
            }
        }
        return completed
    }
}

extension RecipeSetting {
    /// Whether no endpoint works without it.
    package var mustBeGiven: Bool {
        if kind == .secrets { return true }
        if kind == .mode || kind == .capture { return isRequired ?? false }
        return isRequired ?? (standard == nil)
    }

    /// The mistake in a value; nil where there is none.
    func problem(_ value: SettingValue) -> String? {
        switch (kind, value) {
        case (.secrets, .secrets), (.words, .texts): return nil
        case (.secret, .text(let text)), (.text, .text(let text)):
            return text.isEmpty ? "it is empty" : nil
        case (.url, .text(let text)):
            let isURL = text.hasPrefix("https://") || text.hasPrefix("http://")
            return isURL ? nil : "not an absolute URL"
        case (.seconds, .integer(let seconds)):
            return seconds > 0 ? nil : "it has to be more than zero"
        case (.mode, .text(let word)):
            return EndpointSettings.Mode(rawValue: word) == nil ? "neither live nor test" : nil
        case (.capture, .text(let word)):
            return EndpointSettings.Capture(rawValue: word) == nil
                ? "neither automatic nor manual" : nil
        case (.currency, .text(let code)):
            return Currency(listed: code) == nil ? "a currency is three capital letters" : nil
        case (.word(let words), .text(let word)):
            return words.contains { $0.isExactly(word) }
                ? nil : "not one of \(words.joined(separator: ", "))"
        case (.pointers, .texts(let pointers)):
            let isRight = pointers.allSatisfy { $0.hasPrefix("/") && PointerPath($0) != nil }
            return isRight && !pointers.isEmpty
                ? nil : "not JSON pointers (RFC 6901), such as /data/order_id"
        default: return "a value of another form"
        }
    }

    /// The row of the settings table.
    func row(of recipe: Recipe) -> SettingRow {
        if kind == .mode {
            return SettingRow.mode { row in
                if !help.isEmpty { row.help = help }
                row.account = account
            }.row
        }
        var row = SettingRow(key: key, side: .endpoint, kind: rowKind(recipe), help: fullHelp)
        row.isRequired = mustBeGiven
        row.account = account
        if kind != .secrets, kind != .seconds, isRequired != false {
            row.prompt = dashboard.map { "\(key) (\($0))" } ?? key
        }
        switch standard {
        case .text(let text): row.standard = text
        // As `--set` takes it.
        case .texts(let texts): row.standard = texts.joined(separator: ",")
        default: break
        }
        if let value = sandbox ?? (mustBeGiven ? sandboxStandard : nil) {
            row.sandbox = .fixed(value)
        }
        return row
    }

    private var fullHelp: String { dashboard.map { "\(help) (\($0))" } ?? help }

    private func rowKind(_ recipe: Recipe) -> SettingRow.Kind {
        switch kind {
        case .secrets: .secrets(recipe.secretForm)
        case .secret: .secret
        case .text, .url, .currency: .text
        case .seconds: .integer(1...31_536_000)
        case .mode: .choice(EndpointSettings.Mode.allCases.map(\.rawValue))
        case .capture: .choice(EndpointSettings.Capture.allCases.map(\.rawValue))
        case .word(let words): .choice(words)
        case .pointers, .words: .texts
        }
    }

    /// A value for a sandbox where the recipe gives none.
    private var sandboxStandard: SettingValue? {
        switch kind {
        case .secrets, .secret, .mode: nil
        case .text: .text("sandbox")
        case .url: .text("https://localhost/ipn")
        case .seconds: .integer(300)
        case .capture: .text(EndpointSettings.Capture.automatic.rawValue)
        case .currency: .text("EUR")
        case .word(let words): words.first.map { .text($0) }
        case .pointers: .texts(["/reference"])
        case .words: .texts([])
        }
    }
}

extension Recipe {
    /// The form of its secrets.
    fileprivate var secretForm: SettingRow.SecretForm {
        guard case .signature(let scheme) = proof else { return .text }
        return switch scheme.keyForm {
        case .text: .text
        case .hex: .hex(bytes: scheme.algorithm.byteCount)
        case .base64: .base64(bytes: scheme.algorithm.byteCount)
        }
    }
}
