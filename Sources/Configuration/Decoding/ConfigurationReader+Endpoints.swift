import Platform
import Providers

extension ConfigurationReader {
    func endpoints(_ limits: VerificationLimits) -> [EndpointConfiguration] {
        let remedy = "write `endpoints:` with a list of {name, path, provider, …}"
        guard let value = root.required("endpoints", remedy), let values = value.sequence() else {
            return []
        }
        if values.isEmpty { value.mistake("is empty", remedy) }
        var names: [String: String] = [:]
        var paths: [String: String] = [:]
        return values.compactMap { value in
            guard let section = value.mapping() else { return nil }
            let namePlace = section.required("name", "write `name: antom`")
            let pathPlace = section.required("path", "write `path: /ipn/antom`")
            let name = namePlace?.endpointName()
            let path = pathPlace?.requestPath()
            if let namePlace, let name { namePlace.claim(name, in: &names) }
            if let pathPlace, let path { pathPlace.claim(path, in: &paths) }
            return EndpointReader(value: value, section: section, limits: limits)
                .endpoint(name: name ?? "", path: path ?? "")
        }
    }
}

/// Reads what one endpoint says about its provider.
struct EndpointReader {
    let value: ValueReader
    let section: MappingReader
    let limits: VerificationLimits

    /// The endpoint, or nil after a mistake was reported.
    func endpoint(name: String, path: String) -> EndpointConfiguration? {
        let descriptor = provider()
        let publicPath = section.optional("publicPath")?.requestPath()
        let allow = section.optional("allow")?.networks()
        let keys = keys()
        let secrets = section.optional("secrets")?.sequence()?.map { $0.reference(.secret) } ?? []
        var settings = EndpointSettings(name: name)
        settings.clientID = section.optional("clientID")?.filledText()
        settings.keys = keys.compactMap { $0 }
        settings.secrets = secrets.compactMap { $0?.bytes }
        settings.projectID = section.optional("projectID")?.filledText()
        section.optional("mode")?.choice().map { settings.mode = $0 }
        section.optional("capture")?.choice().map { settings.capture = $0 }
        let unsignedFrom = unsignedChargebacks()
        settings.takesUnsignedChargebacks = !unsignedFrom.isEmpty
        settings.toleranceSeconds = section.optional("toleranceSeconds")?
            .integer(in: 1...31_536_000)
        settings.hmac = section.optional("hmac").flatMap(\.hmacScheme)
        settings.fields = section.optional("fields").flatMap(\.fieldMapping)
        settings.verificationLimits = limits
        let inquiryPlace = section.optional("inquiry")
        let inquirySection = inquiryPlace?.mapping()
        section.finish()
        guard let descriptor else { return nil }
        refuseForeignSettings(descriptor)
        // After a mistake among the settings the provider would complain of what is missing only
        // because it could not be read. One in the path or the name concerns nothing here.
        guard !value.hasMistakes(besides: Self.placeKeys), let provider = make(descriptor, settings)
        else { return nil }
        warn(about: descriptor, allow ?? [])
        refuseTwoProjects(descriptor, settings)
        var inquiry: InquiryConfiguration?
        if let inquiryPlace, let inquirySection {
            inquiry = InquiryReader(value: inquiryPlace, section: inquirySection)
                .inquiry(descriptor, settings)
        }
        return EndpointConfiguration(
            name: name, path: path, publicPath: publicPath ?? path, system: descriptor.name,
            provider: provider, settings: settings, allow: allow ?? [],
            unsignedFrom: unsignedFrom,
            fingerprints: settings.keys.compactMap {
                KeyFingerprint(version: $0.version, text: $0.text)
            },
            secretSources: secrets.compactMap { $0?.source }, inquiry: inquiry)
    }

    private func provider() -> ProviderDescriptor? {
        let known = ProviderRegistry.list.map(\.name)
        let remedy = "write one of: \(known.joined(separator: ", "))"
        guard let place = section.required("provider", remedy), let name = place.filledText()
        else { return nil }
        if let descriptor = ProviderRegistry.all[name] { return descriptor }
        let hint = Suggestion.nearest(to: name, among: known).map { "did you mean `\($0)`? " } ?? ""
        place.mistake(
            "the provider \(quoted(name)) is unknown",
            "\(hint)known: \(known.joined(separator: ", "))")
        return nil
    }

    /// `unsignedChargebacks: {allow: […]}`: there are none without the networks that they come
    /// from.
    private func unsignedChargebacks() -> [IPNetwork] {
        guard let value = section.optional("unsignedChargebacks"), let section = value.mapping()
        else { return [] }
        let remedy = "write the networks that ecommpay sends from: `allow: [203.0.113.0/24]`"
        let place = section.required("allow", remedy)
        let networks = place?.networks() ?? []
        if let place, networks.isEmpty { place.mistake("is empty", remedy) }
        section.finish()
        return networks
    }

    private func keys() -> [(version: Int, text: String)?] {
        guard let values = section.optional("keys")?.sequence() else { return [] }
        return values.map { value in
            guard let key = value.mapping() else { return nil }
            let version = key.required(
                "version", "write the version that the provider shows: `version: 1`")?
                .integer(in: 0...1_000_000)
            let place = key.required("publicKey", "write `publicKey: {file: keys/antom.pem}`")
            let text = place?.reference(.isPublic)
            key.finish()
            guard let version, let text else { return nil }
            return (version, String(decoding: text.bytes, as: UTF8.self))
        }
    }

    private func refuseForeignSettings(_ descriptor: ProviderDescriptor) {
        for key in Self.providerKeys
        where section.contains(key) && !descriptor.settingsKeys.contains(key) {
            section.mistake(
                key, "\(descriptor.name) has no such setting",
                "remove it; \(descriptor.name) reads "
                    + descriptor.settingsKeys.sorted().joined(separator: ", "))
        }
    }

    /// The keys that only some systems read; `ProviderDescriptor.settingsKeys` says which.
    static let providerKeys = [
        "clientID", "keys", "secrets", "projectID", "mode", "toleranceSeconds", "hmac", "fields",
        "capture", "unsignedChargebacks",
    ]

    /// The keys that say where notifications come in, and nothing about the provider.
    private static let placeKeys = ["name", "path", "publicPath", "allow"]

    /// A payment's id is unique in its project only, and each project has a secret of its own.
    private func refuseTwoProjects(
        _ descriptor: ProviderDescriptor, _ settings: EndpointSettings
    ) {
        guard descriptor.name == "ecommpay", settings.projectID == nil,
            settings.secrets.count > 1
        else { return }
        section.mistake(
            "secrets", "several secrets may be those of several projects, which would share orders",
            "say `projectID`, and give each project an endpoint of its own")
    }

    private func make(
        _ descriptor: ProviderDescriptor, _ settings: EndpointSettings
    ) -> (any Provider)? {
        do throws(SettingsError) {
            return try descriptor.make(settings)
        } catch {
            let place = value.value(at: error.key)
            value.reading.report(
                at: place.node.mark, key: "\(value.key).\(error.key)", problem: error.sentence,
                remedy: "\(descriptor.name) reads "
                    + descriptor.settingsKeys.sorted().joined(separator: ", "))
            return nil
        }
    }

    private func warn(about descriptor: ProviderDescriptor, _ allow: [IPNetwork]) {
        switch descriptor.name {
        case "citcon-pay":
            value.value(at: "provider").warning(
                "citcon-pay signs with MD5, which is weak; the provider offers nothing else here",
                "use citcon-upi where Citcon offers it, and limit the senders with `allow`")
        case "ecommpay" where allow.isEmpty:
            value.value(at: "provider").warning(
                "ecommpay signs its payment page with the secret and the algorithm of callbacks: a "
                    + "back end that signs whatever its app sends lets the app forge payments",
                "sign only fields of your own order (config/going-live.md, ecommpay), and limit "
                    + "the senders with `allow`")
        default: break
        }
    }
}

extension SettingsError {
    /// The message as the middle of a line.
    fileprivate var sentence: String {
        message.hasSuffix(".") ? String(message.dropLast()) : message
    }
}
