extension Adyen {
    /// The settings of an endpoint of Adyen.
    ///
    /// ```swift
    /// let provider = try Adyen(settings: .init(hmacKeys: [hexKey], merchantAccount: "ShopECOM"))
    /// ```
    public struct Settings: Sendable {
        /// The webhook's HMAC keys, 64 hex digits each; any that verifies is accepted.
        public var hmacKeys: [String]

        /// The merchant account that notifications must be for.
        public var merchantAccount: String

        /// Who captures: with `manual`, an authorisation is not yet money taken.
        public var capture: EndpointSettings.Capture

        /// Whether payments of the provider's test environment count.
        public var mode: EndpointSettings.Mode

        /// Creates settings; those with a default can be left out.
        public init(
            hmacKeys: [String], merchantAccount: String,
            capture: EndpointSettings.Capture = .automatic, mode: EndpointSettings.Mode = .live
        ) {
            self.hmacKeys = hmacKeys
            self.merchantAccount = merchantAccount
            self.capture = capture
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

extension Adyen.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .adyen }

    func write(to values: inout EndpointSettings) {
        values.set(hmacKeys, as: Adyen.hmacKeys)
        values[Adyen.merchantAccount] = merchantAccount
        values[Adyen.capture] = capture
        values[Adyen.mode] = mode
    }
}
