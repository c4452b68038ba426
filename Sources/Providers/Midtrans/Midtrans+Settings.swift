extension Midtrans {
    /// The settings of an endpoint of Midtrans.
    ///
    /// ```swift
    /// let provider = try Midtrans(
    ///     settings: .init(serverKeys: ["Mid-server-…"], merchantID: "G123456789"))
    /// ```
    public struct Settings: Sendable {
        /// The server keys, `Mid-server-…`; any that verifies is accepted.
        public var serverKeys: [String]

        /// The merchant id, `G…`; a notification for another one is refused.
        public var merchantID: String?

        /// Creates settings; those with a default can be left out.
        public init(serverKeys: [String], merchantID: String? = nil) {
            self.serverKeys = serverKeys
            self.merchantID = merchantID
        }
    }

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    public init(settings: Settings) throws(SettingsError) {
        try self.init(settings: settings.endpoint())
    }
}

extension Midtrans.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .midtrans }

    func write(to values: inout EndpointSettings) {
        values.set(serverKeys, as: SettingRow.secrets)
        values[Midtrans.merchantID] = merchantID
    }
}
