extension Ecommpay {
    /// The settings of an endpoint of ecommpay.
    ///
    /// ```swift
    /// let provider = try Ecommpay(settings: .init(secrets: [secret], projectID: "115"))
    /// ```
    public struct Settings: Sendable {
        /// The project's secrets; any that verifies is accepted.
        public var secrets: [String]

        /// The project whose callbacks belong here; required if there are several secrets.
        public var projectID: String?

        /// The networks of unsigned chargeback callbacks, which put an order into `review`. Only a
        /// request with ``SignedRequest/isFromNamedNetwork`` is taken as one: compare the sender's
        /// address with this list first.
        public var unsignedChargebackNetworks: [String]

        /// Creates settings; those with a default can be left out.
        public init(
            secrets: [String], projectID: String? = nil,
            unsignedChargebackNetworks: [String] = []
        ) {
            self.secrets = secrets
            self.projectID = projectID
            self.unsignedChargebackNetworks = unsignedChargebackNetworks
        }
    }

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    public init(settings: Settings) throws(SettingsError) {
        try self.init(settings: settings.endpoint())
    }
}

extension Ecommpay.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .ecommpay }

    func write(to values: inout EndpointSettings) {
        values.set(secrets, as: SettingRow.secrets)
        values[Ecommpay.projectID] = projectID
        if !unsignedChargebackNetworks.isEmpty {
            values[Ecommpay.unsignedChargebacks] = unsignedChargebackNetworks
        }
    }
}
