extension CitconPay {
    /// The settings of an endpoint of Citcon Pay.
    ///
    /// ```swift
    /// let provider = try CitconPay(settings: .init(secrets: [secret]))
    /// ```
    public struct Settings: Sendable {
        /// The merchant's API tokens; any that verifies is accepted.
        public var secrets: [String]

        /// Creates settings.
        public init(secrets: [String]) {
            self.secrets = secrets
        }
    }

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    public init(settings: Settings) throws(SettingsError) {
        try self.init(settings: settings.endpoint())
    }
}

extension CitconPay.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .citconPay }

    func write(to values: inout EndpointSettings) {
        values.set(secrets, as: SettingRow.secrets)
    }
}
