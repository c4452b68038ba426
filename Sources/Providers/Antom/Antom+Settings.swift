extension Antom {
    /// The settings of an endpoint of Antom.
    ///
    /// ```swift
    /// let provider = try Antom(
    ///     settings: .init(
    ///         clientID: "SANDBOX_5Y0000000000000", keys: [.init(version: 1, text: publicKey)]))
    /// ```
    public struct Settings: Sendable {
        /// The client id under which Antom knows the merchant.
        public var clientID: String

        /// Antom's public keys, each with the version that the dashboard shows.
        public var keys: [VersionedKey]

        /// Who captures: with `manual`, a successful payment is an authorisation.
        public var capture: EndpointSettings.Capture

        /// Creates settings; those with a default can be left out.
        public init(
            clientID: String, keys: [VersionedKey],
            capture: EndpointSettings.Capture = .automatic
        ) {
            self.clientID = clientID
            self.keys = keys
            self.capture = capture
        }
    }

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    public init(settings: Settings) throws(SettingsError) {
        try self.init(settings: settings.endpoint())
    }
}

extension Antom.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .antom }

    func write(to values: inout EndpointSettings) {
        values[Antom.clientID] = clientID
        values[SettingRow.keys] = keys
        values[Antom.capture] = capture
    }
}
