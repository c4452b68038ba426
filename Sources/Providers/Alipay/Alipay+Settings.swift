extension Alipay {
    /// The settings of an endpoint of Alipay.
    ///
    /// ```swift
    /// let provider = try Alipay(
    ///     settings: .init(
    ///         appID: "2021000000000001", publicKeys: [publicKey], sellerID: "2088000000000001"))
    /// ```
    public struct Settings: Sendable {
        /// The app's id, 16 digits; required on the open platform.
        public var appID: String?

        /// Alipay's public keys for the app, or certificates, in PEM or bare Base64 of DER.
        public var publicKeys: [String]

        /// The merchant's account, `2088…`; a notification for another one is refused.
        public var sellerID: String?

        /// The family of products, whose words differ.
        public var product: Product

        /// The merchant's account at the classic global gateway, `2088…`.
        public var partner: String?

        /// The signatures that are accepted.
        public var signatureTypes: [SignatureType]

        /// The keys for ``SignatureType/md5``.
        public var md5Keys: [String]

        /// Creates settings; those with a default can be left out.
        public init(
            appID: String? = nil, publicKeys: [String] = [], sellerID: String? = nil,
            product: Product = .openPlatform, partner: String? = nil,
            signatureTypes: [SignatureType] = [.rsa2], md5Keys: [String] = []
        ) {
            self.appID = appID
            self.publicKeys = publicKeys
            self.sellerID = sellerID
            self.product = product
            self.partner = partner
            self.signatureTypes = signatureTypes
            self.md5Keys = md5Keys
        }
    }

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    public init(settings: Settings) throws(SettingsError) {
        try self.init(settings: settings.endpoint())
    }
}

extension Alipay.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .alipay }

    func write(to values: inout EndpointSettings) {
        values[Alipay.appID] = appID
        if !publicKeys.isEmpty {
            values[Alipay.publicKeys] = publicKeys.enumerated().map {
                VersionedKey(version: $0.offset + 1, text: $0.element)
            }
        }
        values[Alipay.sellerID] = sellerID
        values[Alipay.product] = product
        values[Alipay.partner] = partner
        values[Alipay.signTypes] = signatureTypes.map(\.rawValue)
        if !md5Keys.isEmpty { values.set(md5Keys, as: Alipay.md5Keys) }
    }
}
