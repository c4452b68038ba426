extension HMACWebhook {
    /// The settings of an endpoint of a system that ipnd does not know.
    ///
    /// ```swift
    /// let provider = try HMACWebhook(
    ///     settings: .init(
    ///         secrets: [secret], scheme: HMACScheme(header: "x-signature"),
    ///         fields: FieldMapping(
    ///             identity: ["/id"], reference: "/order", transaction: "/payment",
    ///             status: "/status", amount: "/amount", currency: "/currency",
    ///             statuses: ["done": .paid, "declined": .failed])))
    /// ```
    public struct Settings: Sendable {
        /// The shared secrets; any that verifies is accepted.
        public var secrets: [String]

        /// The signature: its place, algorithm, encoding and content.
        public var scheme: HMACScheme

        /// Where a body holds the facts, and what the sender's words mean.
        public var fields: FieldMapping

        /// Maximum difference between a signed time and the time of receipt; not checked by
        /// default.
        public var toleranceSeconds: Int?

        /// Creates settings; those with a default can be left out.
        public init(
            secrets: [String], scheme: HMACScheme, fields: FieldMapping,
            toleranceSeconds: Int? = nil
        ) {
            self.secrets = secrets
            self.scheme = scheme
            self.fields = fields
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

extension HMACWebhook.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .hmac }

    func write(to values: inout EndpointSettings) {
        values.set(secrets, as: SettingRow.secrets)
        values[HMACWebhook.scheme] = scheme
        values[SettingRow.fields] = fields
        values[HMACWebhook.toleranceSeconds] = toleranceSeconds
    }
}
