extension RecipeProvider {
    /// The settings of an endpoint whose provider a recipe describes.
    public struct Settings: Sendable {
        /// The shared secrets under the key that the recipe gives them; any that verifies is
        /// accepted, so that one can be replaced without a gap.
        public var secrets: [String]

        /// Whether payments of the provider's test environment count.
        public var mode: EndpointSettings.Mode

        /// The recipe's other settings by key.
        public var others: [String: SettingValue]

        /// Creates settings, by default without any that the recipe does not require.
        public init(
            secrets: [String], mode: EndpointSettings.Mode = .live,
            others: [String: SettingValue] = [:]
        ) {
            self.secrets = secrets
            self.mode = mode
            self.others = others
        }

        /// - Throws: ``SettingsError`` for a setting that `recipe` does not have.
        func endpoint(_ recipe: Recipe) throws(SettingsError) -> EndpointSettings {
            var given = others
            given[recipe.secretsKey] = .texts(secrets)
            if mode != .live { given["mode"] = mode.settingValue }
            return try recipe.descriptor.endpoint(given)
        }
    }

    /// Creates the provider that `recipe` describes:
    ///
    /// ```swift
    /// let provider = try RecipeProvider(.stripe, settings: .init(secrets: [secret]))
    /// ```
    ///
    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    public init(_ recipe: Recipe, settings: Settings) throws(SettingsError) {
        try self.init(recipe, settings: settings.endpoint(recipe))
    }
}
