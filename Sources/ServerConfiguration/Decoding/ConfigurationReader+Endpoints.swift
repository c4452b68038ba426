import Platform
import Providers

extension ConfigurationReader {
    /// Reads endpoints, whose names and paths must differ.
    ///
    /// - Parameter places: See ``endpointPlaces()``.
    func endpoints(
        _ places: [ValueReader], _ limits: VerificationLimits
    ) -> [EndpointConfiguration] {
        var names: [String: ValueReader] = [:]
        var paths: [String: ValueReader] = [:]
        return places.compactMap { value in
            guard let section = value.mapping() else { return nil }
            let namePlace = section.required("name", "write `name: shop`")
            let pathPlace = section.required("path", "write `path: /ipn/shop`")
            let name = namePlace?.endpointName()
            let path = pathPlace?.requestPath()
            if let namePlace, let name { namePlace.claim(name, in: &names) }
            if let pathPlace, let path { pathPlace.claim(path, in: &paths) }
            return EndpointReader(value: value, section: section, limits: limits)
                .endpoint(name: name ?? "", path: path ?? "")
        }
    }
}

/// Reads one endpoint: its path, its provider and the provider's settings.
struct EndpointReader {
    let value: ValueReader
    let section: MappingReader
    let limits: VerificationLimits

    /// The endpoint, or nil after a mistake was reported.
    func endpoint(name: String, path: String) -> EndpointConfiguration? {
        let lookup = provider()
        let descriptor = lookup.descriptor
        let publicPath = section.optional("publicPath")?.requestPath()
        let allow = section.optional("allow")?.networks()
        let redact = section.optional("redact")?.redactionRules() ?? []
        var settings = EndpointSettings(name: name)
        settings.verificationLimits = limits
        settings.memory = value.reading.memory
        var reader = SettingsReader(section, side: .endpoint)
        reader.read(descriptor, into: &settings)
        checkFields(settings)
        let inquiryPlace = section.optional("inquiry")
        let inquirySection = inquiryPlace?.mapping()
        // Its settings are unknown without its recipe.
        if case .broken = lookup { return nil }
        section.finish()
        guard let descriptor else { return nil }
        reader.refuseForeign(descriptor, subject: descriptor.name)
        // After a mistake in the settings, `make` would also report the unreadable values as
        // missing. A mistake in the path or the name does not affect the provider.
        guard !value.hasMistakes(besides: Self.placeKeys),
            var provider = make(descriptor, settings)
        else { return nil }
        for warning in descriptor.warnings
        where !(warning.isSettledByAllow && allow?.isEmpty == false) {
            value.value(at: "provider").warning(warning.problem, warning.remedy)
        }
        var inquiry: InquiryConfiguration?
        if inquiryPlace == nil, descriptor.asksByItself(settings) {
            inquiry = .usual(descriptor, settings, at: value)
        }
        if let inquiryPlace, let inquirySection {
            inquiry = InquiryReader(value: inquiryPlace, section: inquirySection)
                .inquiry(descriptor, &settings)
            // Some read an event otherwise if they can ask about it.
            provider = make(descriptor, settings) ?? provider
        }
        return EndpointConfiguration(
            name: name, file: value.reading.file, key: value.key, path: path,
            publicPath: publicPath ?? path, descriptor: descriptor,
            provider: provider, settings: settings, allow: allow ?? [],
            unsignedFrom: reader.networks, redact: redact,
            fingerprints: settings.keys.compactMap { KeyFingerprint($0) },
            secretSources: reader.sources.map(\.source), inquiry: inquiry)
    }

    private func provider() -> ProviderLookup {
        let known = section.reading.providerNames
        let remedy = "write one of: \(known.joined(separator: ", "))"
        guard let place = section.required("provider", remedy), let name = place.filledText()
        else { return .unknown }
        let found = section.reading.provider(named: name)
        guard case .unknown = found else { return found }
        let hint = Suggestion.nearest(to: name, among: known).map { "did you mean `\($0)`? " } ?? ""
        place.mistake(
            "the provider \(quoted(name)) is unknown",
            "\(hint)known: \(known.joined(separator: ", "))")
        return .unknown
    }

    /// The checks of `fields` that a recipe's have.
    private func checkFields(_ settings: EndpointSettings) {
        guard let fields = settings[SettingRow.fields] else { return }
        let place = value.value(at: SettingRow.fields.row.key)
        let scheme = settings[HMACWebhook.scheme]
        FieldsCheck(
            place: place, signed: SignedWords(scheme?.content ?? .body), settings: []
        ).run(fields)
    }

    /// The keys that concern the endpoint's address and not its provider.
    private static let placeKeys = ["name", "path", "publicPath", "allow", "redact"]

    private func make(
        _ descriptor: ProviderDescriptor, _ settings: EndpointSettings
    ) -> (any Provider)? {
        do throws(SettingsError) {
            if let problem = descriptor.problem(settings) { throw problem }
            return try descriptor.make(settings)
        } catch {
            let place = value.value(at: error.key)
            value.reading.report(
                at: place.node.mark, key: value.key(error.key), problem: error.sentence,
                remedy: error.remedy ?? "\(descriptor.name) reads "
                    + descriptor.keys().sorted().joined(separator: ", "))
            return nil
        }
    }
}

extension SettingsError {
    /// The message without its full stop, for the middle of a line.
    var sentence: String {
        message.hasSuffix(".") ? String(message.dropLast()) : message
    }
}
