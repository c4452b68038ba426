extension OpenPaymentPlatform {
    /// The settings of an endpoint of Open Payment Platform.
    ///
    /// ```swift
    /// let provider = try OpenPaymentPlatform(settings: .init(keys: [hexKey]))
    /// ```
    public struct Settings: Sendable {
        /// The webhook keys, 64 hex digits each; any that opens the body is accepted.
        public var keys: [String]

        /// Whether payments of the provider's test environment count.
        public var mode: EndpointSettings.Mode

        /// Creates settings; those with a default can be left out.
        public init(keys: [String], mode: EndpointSettings.Mode = .live) {
            self.keys = keys
            self.mode = mode
        }
    }

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    public init(settings: Settings) throws(SettingsError) {
        try self.init(settings: settings.endpoint())
    }
}

extension OpenPaymentPlatform.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .openPaymentPlatform }

    func write(to values: inout EndpointSettings) {
        values.set(keys, as: SettingRow.secrets)
        values[OpenPaymentPlatform.mode] = mode
    }
}
