import Payments

extension Braintree {
    /// An API key of the Control Panel.
    public struct APIKey: Sendable {
        /// The public part, which each signature names.
        public var publicKey: String
        /// The private part, which signs.
        public var privateKey: String

        /// Creates a key from its two parts.
        public init(publicKey: String, privateKey: String) {
            self.publicKey = publicKey
            self.privateKey = privateKey
        }
    }

    /// The settings of an endpoint of Braintree.
    ///
    /// ```swift
    /// let provider = try Braintree(
    ///     settings: .init(
    ///         keys: [.init(publicKey: "9r8gkyqrtwjupd8i", privateKey: secret)],
    ///         currency: Currency("EUR")))
    /// ```
    public struct Settings: Sendable {
        /// The API keys; any that signed is accepted.
        public var keys: [APIKey]

        /// The currency of the merchant account, which some kinds do not name.
        public var currency: Currency?

        /// Whether payments of the provider's test environment count.
        public var mode: EndpointSettings.Mode

        /// Maximum difference between the signed time and the time of receipt; two days by default.
        public var toleranceSeconds: Int?

        /// Creates settings; those with a default can be left out.
        public init(
            keys: [APIKey], currency: Currency? = nil, mode: EndpointSettings.Mode = .live,
            toleranceSeconds: Int? = nil
        ) {
            self.keys = keys
            self.currency = currency
            self.mode = mode
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

extension Braintree.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .braintree }

    func write(to values: inout EndpointSettings) {
        values.set(keys.map { "\($0.publicKey)|\($0.privateKey)" }, as: Braintree.keys)
        values[Braintree.currency] = currency?.code
        values[Braintree.mode] = mode
        values[Braintree.tolerance] = toleranceSeconds
    }
}
