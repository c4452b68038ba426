extension Mollie {
    /// The settings of an endpoint of Mollie.
    ///
    /// Events of a webhook in the dashboard, which are signed. The classic calls of `webhookUrl`
    /// prove nothing; they are a matter of ``ProviderRegistry/provider(named:settings:)`` and
    /// ``Provider/question(about:)``.
    ///
    /// ```swift
    /// let provider = try Mollie(settings: .init(webhookSecrets: [secret]))
    /// ```
    public struct Settings: Sendable {
        /// The secrets of the webhook; any that verifies is accepted.
        public var webhookSecrets: [String]

        /// Whether payments of the provider's test environment count.
        public var mode: EndpointSettings.Mode

        /// JSON pointer to the order reference in a payment: `/metadata/order_id` by default,
        /// otherwise `/metadata` or `/description`.
        public var reference: String?

        /// Creates settings; those with a default can be left out.
        public init(
            webhookSecrets: [String], mode: EndpointSettings.Mode = .live,
            reference: String? = nil
        ) {
            self.webhookSecrets = webhookSecrets
            self.mode = mode
            self.reference = reference
        }
    }

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    public init(settings: Settings) throws(SettingsError) {
        try self.init(settings: settings.endpoint())
    }
}

extension Mollie.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .mollie }

    func write(to values: inout EndpointSettings) {
        values.set(webhookSecrets, as: Mollie.secrets)
        values[Mollie.mode] = mode
        values[Mollie.reference] = reference
    }
}
