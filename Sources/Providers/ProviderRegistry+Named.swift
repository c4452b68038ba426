extension ProviderRegistry {
    /// The names of all providers, as the configuration writes them: those with a Swift type, and
    /// those of the recipes.
    public static var names: [String] { ProviderCatalog.shipped.names }

    /// Creates the provider with this name from its settings, as the configuration does.
    ///
    /// ```swift
    /// let provider = try ProviderRegistry.provider(
    ///     named: name, settings: ["secrets": ["whsec_…"], "toleranceSeconds": 600])
    /// ```
    ///
    /// - Parameters:
    ///   - name: One of ``names``.
    ///   - settings: The endpoint's settings by the keys of config/providers.md.
    /// - Throws: ``SettingsError``: for a name that is not one of ``names`` and for a key that the
    ///   provider does not have, with a remedy that lists what there is; for a value of another
    ///   form; for a required setting that is missing.
    public static func provider(
        named name: String, settings: [String: SettingValue]
    ) throws(SettingsError) -> any Provider {
        let (descriptor, endpoint) = try endpoint(named: name, settings: settings)
        return try descriptor.make(endpoint)
    }

    /// The provider with this name and its endpoint's settings.
    ///
    /// - Throws: ``SettingsError``, as ``provider(named:settings:)``.
    package static func endpoint(
        named name: String, settings: [String: SettingValue]
    ) throws(SettingsError) -> (ProviderDescriptor, EndpointSettings) {
        guard let descriptor = ProviderCatalog.shipped[name] else {
            throw SettingsError(
                key: "provider", message: "there is no provider \(name)",
                remedy: "the providers are \(names.joined(separator: ", "))")
        }
        return (descriptor, try descriptor.endpoint(settings))
    }

    /// The keys of the settings of the provider with this name, in the order of its table; nil if
    /// there is no such provider.
    public static func settingKeys(of name: String) -> [String]? {
        ProviderCatalog.shipped[name]?.rows(.endpoint).map(\.key)
    }
}
