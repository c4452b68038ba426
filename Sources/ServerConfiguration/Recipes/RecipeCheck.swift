import Providers

/// Finds mistakes of a recipe whose parts are right one by one.
struct RecipeCheck {
    let recipe: Recipe
    let place: ValueReader

    func run() {
        checkSecrets()
        checkTemplate()
        checkRequirements()
        FieldsCheck(
            place: place.value(at: "fields"), signed: SignedWords(recipe.proof),
            settings: recipe.settings
        ).run(recipe.fields)
        checkUse()
        checkKeys()
    }

    private var template: SignedTemplate? {
        if case .signature(let scheme) = recipe.proof { scheme.content } else { nil }
    }

    /// One setting holds the secrets of the proof.
    private func checkSecrets() {
        let key = recipe.secretsKey
        let holders = recipe.settings.filter { $0.kind == .secrets }
        if let setting = recipe.settings.first(where: { $0.key == key }) {
            if setting.kind != .secrets {
                report(
                    "settings.\(key).kind", "the proof needs secrets, and this is another kind",
                    "write `kind: secrets`")
            }
        } else {
            report(
                "settings.\(key)", "there is no such setting, and the proof needs its secrets",
                holders.first.map { "write `secrets: \($0.key)` at the proof" }
                    ?? "write `\(key): {kind: secrets}`")
        }
        for other in holders
        where other.key != key
            && recipe.settings.contains(where: {
                $0.key == key
            })
        {
            report(
                "settings.\(other.key)", "the proof uses the secrets in `\(key)`",
                "remove it, or write `kind: secret` for a text that must equal something")
        }
    }

    private func checkTemplate() {
        guard case .signature(let scheme) = recipe.proof else { return }
        for case .setting(let key) in scheme.content.parts {
            recipe.settings.problem(of: key, allowsPointers: false).map {
                report("hmac.signs", $0.problem, $0.remedy)
            }
        }
        let url = recipe.settings.first { $0.key == Self.urlKey }
        if scheme.content.parts.contains(.url), url?.kind != .url {
            report(
                "settings.\(Self.urlKey)", "`signs` has {url}, which is this setting",
                "write `\(Self.urlKey): {kind: url, help: \"the URL as it is entered there\"}`")
        }
        guard scheme.kind == .hash else { return }
        if scheme.algorithm == .sha1 {
            warn("hmac.algorithm", "a plain SHA-1 can be forged", "ask for another signature")
        }
        if scheme.content.parts.last != .secret {
            warn(
                "hmac.signs", "a plain hash that does not end with {secret} can be extended",
                "this is so if the provider signs that way: know that it is weak")
        }
    }

    private func checkRequirements() {
        for (index, requirement) in recipe.requirements.enumerated() {
            let key = "require[\(index)]"
            for case .setting(let name) in requirement.equals.leaves + requirement.subject.leaves {
                recipe.settings.problem(of: name, allowsPointers: false).map {
                    report("\(key).equals", $0.problem, $0.remedy)
                }
            }
        }
    }

    private static let urlKey = "notificationURL"
    private static let toleranceKey = "toleranceSeconds"
    private static let modeKey = "mode"

    /// Settings that nothing reads.
    private func checkUse() {
        var used: Set<String> = [recipe.secretsKey]
        for case .setting(let key) in recipe.fields.leaves { used.insert(key) }
        for requirement in recipe.requirements {
            for case .setting(let key) in requirement.equals.leaves + requirement.subject.leaves {
                used.insert(key)
            }
        }
        for case .setting(let key) in template?.parts ?? [] { used.insert(key) }
        if template?.parts.contains(.url) == true { used.insert(Self.urlKey) }
        if template?.parts.contains(.timestamp) == true { used.insert(Self.toleranceKey) }
        if recipe.fields.hasTest { used.insert(Self.modeKey) }
        for setting in recipe.settings where !used.contains(setting.key) && setting.kind != .secrets
        {
            let remedy =
                switch setting.kind {
                case .seconds: "sign a {timestamp}, or remove it"
                case .mode: "say by `test` which events are of test mode, or remove it"
                default: "name it by {setting: \(setting.key)}, or remove it"
                }
            report("settings.\(setting.key)", "nothing uses this setting", remedy)
        }
        let hasTolerance = recipe.settings.contains { $0.key == Self.toleranceKey }
        if template?.needsTolerance == true, !hasTolerance {
            report(
                "settings.\(Self.toleranceKey)", "`tolerance: required` is this setting",
                "write `\(Self.toleranceKey): {kind: seconds, default: 300}`")
        }
    }

    /// Kinds whose meaning is in ipnd have a fixed key.
    private func checkKeys() {
        for setting in recipe.settings {
            let key: String? =
                switch setting.kind {
                case .seconds: Self.toleranceKey
                case .mode: Self.modeKey
                default: nil
                }
            if let key, key != setting.key {
                report(
                    "settings.\(setting.key)", "a setting of this kind is called `\(key)`",
                    "write `\(key):`")
            }
        }
    }

    private func report(_ key: String, _ problem: String, _ remedy: String) {
        place.reading.report(
            at: place.value(at: key).node.mark, key: key, problem: problem, remedy: remedy)
    }

    private func warn(_ key: String, _ problem: String, _ remedy: String) {
        place.reading.report(
            .warning, at: place.value(at: key).node.mark, key: key, problem: problem,
            remedy: remedy)
    }
}

extension FieldMapping {
    /// Whether some conditions say which events are of test mode.
    fileprivate var hasTest: Bool { !test.isEmpty || variants.contains { $0.fields.hasTest } }
}
