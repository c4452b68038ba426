/// The provider's side of an endpoint's keys: what ``Sender`` needs to sign as the provider does.
package struct SenderSettings: Sendable {
    /// Antom: the client id to send to.
    package var clientID: String?

    /// Antom: the provider's private key (PEM, PKCS#8) and the version that its notifications
    /// announce.
    package var privateKey: String?
    package var keyVersion: Int

    /// All others: the shared secret, in the form in which the endpoint's configuration has it.
    package var secret: [UInt8]

    /// ecommpay: the `project_id` to send.
    package var projectID: String?

    /// Open Payment Platform: which result codes to send.
    package var mode: EndpointSettings.Mode

    /// `hmac` and `standard-webhooks`: the endpoint's own scheme and fields, so that the sender
    /// fills what the endpoint reads.
    package var hmac: HMACScheme?
    package var fields: FieldMapping?

    package init(
        clientID: String? = nil, privateKey: String? = nil, keyVersion: Int = 1,
        secret: [UInt8] = [],
        projectID: String? = nil, mode: EndpointSettings.Mode = .live, hmac: HMACScheme? = nil,
        fields: FieldMapping? = nil
    ) {
        self.clientID = clientID
        self.privateKey = privateKey
        self.keyVersion = keyVersion
        self.secret = secret
        self.projectID = projectID
        self.mode = mode
        self.hmac = hmac
        self.fields = fields
    }
}

extension SenderSettings {
    /// - Throws: ``SettingsError`` where the secret is missing.
    func requiredSecret() throws(SettingsError) -> [UInt8] {
        guard !secret.isEmpty else {
            throw SettingsError(
                key: "secret", message: "the provider's side of the secret is missing")
        }
        return secret
    }
}
