/// What an endpoint's configuration says about its provider, with every reference to a file or
/// variable already resolved.
///
/// One type for all systems, because the configuration is one format.
/// ``ProviderDescriptor/settingsKeys`` names those that a system reads.
package struct EndpointSettings: Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        case live, test
    }

    /// Who captures what was authorised.
    package enum Capture: String, Sendable, CaseIterable {
        /// The provider, at once: a successful payment is money taken.
        case automatic
        /// The merchant, by a request of its own: a successful payment is an authorisation.
        case manual
    }

    /// The endpoint's name in the configuration.
    package var name: String

    /// Antom: the client id that the provider knows the merchant by.
    package var clientID: String?

    /// Antom: public keys by the version that the provider's dashboard shows, PEM or bare base64 of
    /// DER.
    package var keys: [(version: Int, text: String)]

    /// Shared secrets in the form in which the provider hands them out; any that verifies is
    /// accepted.
    package var secrets: [[UInt8]]

    /// ecommpay: the project whose callbacks belong here. Where it is nil, any project that knows
    /// the secret does.
    package var projectID: String?

    /// Open Payment Platform: whether results of the test modes may count as payments. Live where
    /// nothing is said, which is the choice that never takes play money for money.
    package var mode: Mode

    /// Antom: whether a successful payment result means that the money is taken.
    package var capture: Capture

    /// ecommpay: whether chargeback callbacks, which it never signs, are taken from the networks
    /// that the receiver lets through for them.
    package var takesUnsignedChargebacks: Bool

    /// Systems that sign a time: how far it may be from ours, in seconds. Nil means the system's
    /// own default.
    package var toleranceSeconds: Int?

    /// `hmac`: how the signature is made.
    package var hmac: HMACScheme?

    /// `hmac` and `standard-webhooks`: where in the body the facts stand.
    package var fields: FieldMapping?

    /// What a delivery may cost before its signature is known to be right; the same for all
    /// endpoints, from the configuration's `limits`.
    package var verificationLimits = VerificationLimits()

    package init(
        name: String, clientID: String? = nil, keys: [(version: Int, text: String)] = [],
        secrets: [[UInt8]] = [], projectID: String? = nil, mode: Mode = .live,
        capture: Capture = .automatic, takesUnsignedChargebacks: Bool = false,
        toleranceSeconds: Int? = nil, hmac: HMACScheme? = nil, fields: FieldMapping? = nil
    ) {
        self.name = name
        self.clientID = clientID
        self.keys = keys
        self.secrets = secrets
        self.projectID = projectID
        self.mode = mode
        self.capture = capture
        self.takesUnsignedChargebacks = takesUnsignedChargebacks
        self.toleranceSeconds = toleranceSeconds
        self.hmac = hmac
        self.fields = fields
    }
}

extension EndpointSettings {
    /// The secrets of a system that cannot work without one.
    ///
    /// - Throws: ``SettingsError`` where there is none, or an empty one: an empty secret would let
    ///   anybody sign.
    func requiredSecrets() throws(SettingsError) -> [[UInt8]] {
        guard !secrets.isEmpty else {
            throw SettingsError(key: "secrets", message: "at least one secret is needed")
        }
        for (index, secret) in secrets.enumerated() where secret.isEmpty {
            throw SettingsError(key: "secrets[\(index)]", message: "the secret is empty")
        }
        return secrets
    }
}

/// A setting that an endpoint cannot work with. The configuration adds file and line.
package struct SettingsError: Error, Sendable, Equatable {
    /// The setting as the configuration writes it: `clientID`, `keys[0].publicKey`, `secrets[1]`,
    /// `hmac.header`.
    package let key: String

    /// What is wrong and what to do about it, without the value of any secret.
    package let message: String

    package init(key: String, message: String) {
        self.key = key
        self.message = message
    }
}
