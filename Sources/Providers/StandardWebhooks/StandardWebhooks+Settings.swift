extension StandardWebhooks {
    /// The settings of an endpoint of Standard Webhooks.
    ///
    /// ```swift
    /// let provider = try StandardWebhooks(
    ///     settings: .init(
    ///         secrets: [secret],
    ///         fields: FieldMapping(
    ///             reference: "/data/order", transaction: "/data/payment", status: "/type",
    ///             amount: "/data/amount", currency: "/data/currency",
    ///             statuses: ["payment.succeeded": .paid, "payment.failed": .failed])))
    /// ```
    public struct Settings: Sendable {
        /// Shared secrets (`whsec_…`) and public keys (`whpk_…`) of the sender; any that verifies
        /// is accepted.
        public var secrets: [String]

        /// Where a body holds the facts. Without it, notifications are verified and have no effect.
        public var fields: FieldMapping?

        /// Maximum difference between the signed time and the time of receipt; 300 by default.
        public var toleranceSeconds: Int?

        /// Creates settings; those with a default can be left out.
        public init(secrets: [String], fields: FieldMapping? = nil, toleranceSeconds: Int? = nil) {
            self.secrets = secrets
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

extension StandardWebhooks.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .standardWebhooks }

    func write(to values: inout EndpointSettings) {
        values.set(secrets, as: SettingRow.secrets)
        values[SettingRow.fields] = fields
        values[StandardWebhooks.toleranceSeconds] = toleranceSeconds
    }
}
