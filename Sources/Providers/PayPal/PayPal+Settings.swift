extension PayPal {
    /// Returns the text that `url` answers with, PEM; nil if it cannot be had.
    public typealias FetchCertificate = @Sendable (_ url: String) async -> String?

    /// The settings of an endpoint of PayPal.
    ///
    /// ```swift
    /// let provider = try PayPal(
    ///     settings: .init(
    ///         webhookIDs: ["0AB12345CD678901E"],
    ///         fetchCertificate: { url in try? await client.text(of: url) }))
    /// ```
    public struct Settings: Sendable {
        /// The ids of the webhook, 17 letters and digits each; any is accepted.
        public var webhookIDs: [String]

        /// Whether payments of the provider's test environment count.
        public var mode: EndpointSettings.Mode

        /// The fields with the order reference: the first that is there counts.
        public var reference: [PayPalReference]

        /// Maximum age of a transmission; four days by default, as PayPal retries for three.
        public var toleranceSeconds: Int?

        /// PEM of the authorities to trust in place of the system's. With PayPal's own certificates
        /// in it, none is fetched.
        public var certificates: String?

        /// Fetches the certificate that PayPal signed with. ``Provider/prepare(_:)`` calls it once
        /// for each certificate, at bounded rates, and only for URLs of PayPal's hosts.
        public var fetchCertificate: FetchCertificate?

        /// Creates settings; those with a default can be left out.
        public init(
            webhookIDs: [String], mode: EndpointSettings.Mode = .live,
            reference: [PayPalReference] = [.customID, .invoiceID], toleranceSeconds: Int? = nil,
            certificates: String? = nil, fetchCertificate: FetchCertificate? = nil
        ) {
            self.webhookIDs = webhookIDs
            self.mode = mode
            self.reference = reference
            self.toleranceSeconds = toleranceSeconds
            self.certificates = certificates
            self.fetchCertificate = fetchCertificate
        }
    }

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    public init(settings: Settings) throws(SettingsError) {
        try self.init(settings: settings.endpoint())
    }
}

extension PayPal.Settings: TypedSettings {
    static var descriptor: ProviderDescriptor { .paypal }

    func write(to values: inout EndpointSettings) {
        values[PayPal.webhookIDs] = webhookIDs
        values[PayPal.mode] = mode
        values[PayPal.reference] = reference.map(\.rawValue)
        values[PayPal.tolerance] = toleranceSeconds
        values[PayPal.caFile] = certificates
        if let fetchCertificate {
            values.memory.certificates.connect(fetch: fetchCertificate, keep: { _, _ in })
        }
    }
}
