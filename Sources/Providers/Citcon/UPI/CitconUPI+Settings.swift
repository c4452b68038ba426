extension CitconUPI {
    /// The settings of an endpoint of Citcon UPI.
    ///
    /// ```swift
    /// let provider = try CitconUPI(settings: .init(secrets: [secret]))
    /// ```
    public struct Settings: Sendable {
        /// The merchant's API secrets; any that verifies is accepted.
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

extension CitconUPI.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .citconUPI }

    func write(to values: inout EndpointSettings) {
        values.set(secrets, as: SettingRow.secrets)
    }
}
