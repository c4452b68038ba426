extension WeChatPay {
    /// The settings of an endpoint of WeChat Pay.
    ///
    /// ```swift
    /// let provider = try WeChatPay(
    ///     settings: .init(
    ///         platformKeys: ["PUB_KEY_ID_0119922220262024120200": publicKey],
    ///         apiV3Keys: [apiV3Key]))
    /// ```
    public struct Settings: Sendable {
        /// WeChat Pay's public key by its id, `PUB_KEY_ID_…`, and platform certificates by their
        /// serial numbers, in PEM.
        public var platformKeys: [String: String]

        /// The APIv3 keys, 32 characters each; any that opens the sealed part is accepted.
        public var apiV3Keys: [String]

        /// Maximum difference between the signed time and the time of receipt; 300 by default.
        public var toleranceSeconds: Int?

        /// Creates settings; those with a default can be left out.
        public init(
            platformKeys: [String: String], apiV3Keys: [String], toleranceSeconds: Int? = nil
        ) {
            self.platformKeys = platformKeys
            self.apiV3Keys = apiV3Keys
            self.toleranceSeconds = toleranceSeconds
        }
    }

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    public init(settings: Settings) throws(SettingsError) {
        try self.init(settings: settings.endpoint())
    }
}

extension WeChatPay.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .wechatPay }

    func write(to values: inout EndpointSettings) {
        values[WeChatPay.platformKeys] = platformKeys.sorted { $0.key < $1.key }.enumerated().map {
            VersionedKey(
                version: $0.offset + 1, serial: $0.element.key, text: $0.element.value)
        }
        values.set(apiV3Keys, as: WeChatPay.apiV3Keys)
        values[WeChatPay.tolerance] = toleranceSeconds
    }
}
