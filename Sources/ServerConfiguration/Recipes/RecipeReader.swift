import Payments
import Providers
import Yams

/// Reads a recipe: one YAML file that describes a provider (config/recipes.md).
struct RecipeReader {
    let reading: DecodingContext
    let place: ValueReader
    let root: MappingReader
    private let isShipped: Bool

    init?(_ node: Node, _ reading: DecodingContext, isShipped: Bool) {
        let place = ValueReader(node: node, key: "", schema: "", reading: reading)
        guard case .mapping = node, let root = place.mapping() else {
            place.mistake(
                "the file is \(place.kind), not keys with values",
                "begin with `provider: NAME`; config/recipes.md shows every key")
            return nil
        }
        self.reading = reading
        self.place = place
        self.root = root
        self.isShipped = isShipped
    }

    /// The recipe, or nil after a mistake. `file` is the file's name without `.yaml`.
    func recipe(file: String) -> Recipe? {
        let name = name(file: file)
        let title = root.required("title", "write the name for people: `title: Acme Pay`")?
            .filledText()
        let url = root.required(
            "url", "write where the notification URL is entered: `url: \"Settings > Webhooks\"`")?
            .filledText()
        let events = root.optional("events")?.sequence()?.compactMap { $0.filledText() } ?? []
        let replaces = root.optional("replacesShipped").flatMap { $0.bool() } ?? false
        let settings = settings()
        let proof = proof()
        let requirements = root.optional("require").map { $0.requirements() } ?? []
        let body = root.optional("body").map { $0.choice() } ?? Recipe.BodyForm.json
        let fields = root.required("fields", "write where the facts are: `fields: {status: …}`")?
            .fieldMapping
        let answers = root.optional("answers").flatMap { $0.answers() } ?? RecipeAnswers()
        let accepts = root.optional("accepts").flatMap { $0.acceptedStatuses() } ?? .success
        let retries =
            root.optional("retries")?.sequence()?.compactMap { $0.integer(in: 0...31_536_000) }
            ?? []
        let marks = root.required(
            "marks", "write what only its requests have: `marks: {headers: [[x-acme-signature]]}`")?
            .marks()
        let samples = root.optional("samples").flatMap { $0.samples() } ?? RecipeSamples()
        let notes = root.optional("notes").flatMap { $0.notes() } ?? []
        root.finish()
        guard let name, let title, let url, let proof, let body, let fields, let marks else {
            return nil
        }
        checkName(name, replaces)
        var recipe = Recipe(
            name: name, title: title, urlPlace: url, settings: settings, proof: proof,
            fields: fields)
        recipe.events = events
        recipe.requirements = requirements
        recipe.body = body
        recipe.answers = answers
        recipe.accepts = accepts
        recipe.retries = retries
        recipe.marks = marks
        recipe.samples = samples
        recipe.notes = notes
        RecipeCheck(recipe: recipe, place: place).run()
        guard !reading.hasMistakes else { return nil }
        checkEngine(recipe)
        return reading.hasMistakes ? nil : recipe
    }

    /// Reports a refusal of the engine, which is given the settings that `ipnd init` writes.
    private func checkEngine(_ recipe: Recipe) {
        let descriptor = recipe.descriptor
        do throws(SettingsError) {
            var settings = try descriptor.sampleSettings()
            for setting in recipe.settings where setting.kind == .secret {
                settings[setting.key] = .text("sample")
            }
            _ = try descriptor.make(settings)
            _ = try descriptor.makeSender(settings)
        } catch {
            let isSetting = recipe.settings.contains { error.key.hasPrefix($0.key) }
            let key = isSetting ? "settings.\(error.key)" : error.key
            reading.report(
                at: place.value(at: key).node.mark, key: key, problem: error.sentence,
                remedy: error.remedy ?? "config/recipes.md shows what can be written here")
        }
    }

    private func name(file: String) -> String? {
        guard
            let place = root.required("provider", "write the file's name: `provider: \(file)`"),
            let name = place.filledText()
        else { return nil }
        guard RecipeFolder.isName(name) else {
            place.mistake(
                "\(quoted(name)) is not a valid name",
                "use at most 64 small letters, digits and `-`, with a letter first")
            return nil
        }
        if name != file {
            place.mistake(
                "the file is called \(quoted(file)), and an endpoint finds the recipe by that name",
                "write `provider: \(file)`, or rename the file to \(name).yaml")
        }
        return name
    }

    /// A recipe of the merchant's that takes the place of another provider is a mistake, unless it
    /// says so.
    private func checkName(_ name: String, _ replaces: Bool) {
        guard !isShipped else { return }
        let place = place.value(at: "provider")
        if ProviderRegistry.all[name] != nil {
            place.mistake(
                "ipnd has a provider \(quoted(name)) that no recipe can replace",
                "choose another name for the recipe and its file")
        } else if ProviderCatalog.shipped[name] != nil, !replaces {
            place.mistake(
                "ipnd ships a recipe of this name, which this one would replace",
                "choose another name, or write `replacesShipped: true` if that is meant")
        } else if replaces, ProviderCatalog.shipped[name] == nil {
            root.mistake(
                "replacesShipped", "ipnd ships no recipe \(quoted(name))", "remove this key")
        }
    }

    /// `hmac` or `token`.
    private func proof() -> Recipe.Proof? {
        let hmac = root.optional("hmac")
        let token = root.optional("token")
        switch (hmac, token) {
        case (let hmac?, nil): return hmac.hmacScheme.map { .signature($0) }
        case (nil, let token?): return token.tokenScheme().map { .token($0) }
        case (_?, _?):
            root.mistake("token", "`hmac` is here as well", "keep one of them")
        case (nil, nil):
            root.requireOne(
                of: ["hmac", "token"],
                "write how it signs, `hmac: {header: x-signature}`, or which header must equal a "
                    + "secret, `token: {header: x-callback-token}`")
        }
        return nil
    }

    private func settings() -> [RecipeSetting] {
        let remedy = "write the settings of an endpoint: `settings: {secrets: {kind: secrets}}`"
        guard let section = root.required("settings", remedy)?.mapping() else { return [] }
        return section.all.compactMap { key, value in value.recipeSetting(key) }
    }
}

extension ValueReader {
    fileprivate func tokenScheme() -> TokenScheme? {
        guard let section = mapping() else { return nil }
        let header = section.required("header", "write `header: x-callback-token`")?.headerName()
        let secrets =
            section.optional("secrets").map { $0.filledText() } ?? SettingRow.secretsKey
        let prefix = section.optional("prefix").map { $0.text() } ?? ""
        section.finish()
        guard let header, let secrets, let prefix else { return nil }
        return TokenScheme(header: header, secrets: secrets, prefix: prefix)
    }

    fileprivate func requirements() -> [Requirement] {
        sequence()?.compactMap { $0.requirement() } ?? []
    }

    private func requirement() -> Requirement? {
        guard let section = mapping() else { return nil }
        let subject = section.subject()
        let place = section.required(
            "equals", "write a text, or a setting: `equals: {setting: merchantID}`")
        let equals: Source?
        if let place, case .scalar = place.node {
            equals = place.filledText().map { .text($0) }
        } else {
            equals = place?.source()
        }
        let reason = section.required("reason", "write a word: `reason: merchant_id_mismatch`")?
            .reasonCode()
        let conditions = section.optional("when").flatMap { $0.conditions() } ?? []
        for condition in conditions {
            if case .header = condition.subject {
                section.mistake("when", "a header decides nothing here", "use a value of the body")
            }
        }
        section.finish()
        guard let subject, let equals, let reason else { return nil }
        return Requirement(subject, equals: equals, reason: reason, conditions: conditions)
    }

    /// A word as refusals have them: they are labels of metrics.
    private func reasonCode() -> String? {
        guard let text = filledText() else { return nil }
        let isWord = text.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
        }
        if isWord, text.utf8.count <= 64 { return text }
        mistake(
            "\(quoted(text)) is not a reason code", "use small letters, digits and `_`")
        return nil
    }
}
