import Bytes
import Cryptography

/// What the rest of ipnd has to know of a system before an endpoint of it is made.
package struct ProviderDescriptor: Sendable {
    /// What an endpoint of this system holds, and so what `ipnd init` has to make up for a sandbox.
    package enum Credential: Sendable, Equatable {
        /// `keys`: the provider's RSA public key; the sender has the private one.
        case rsaKeyPair
        /// `secrets`: any text.
        case secret
        /// `secrets`: this many bytes in hex.
        case hexSecret(bytes: Int)
        /// `secrets`: `whsec_` and Base64.
        case standardWebhooksSecret
    }

    /// The name in the configuration.
    package let name: String

    /// The name for people.
    package let title: String
    package let credential: Credential

    /// The settings that the system reads, as the configuration spells them. Any other one is a
    /// mistake.
    package let settingsKeys: Set<String>

    /// What its notifications are recognised by where they came to a wrong path.
    package let marks: Marks

    /// - Throws: ``SettingsError`` for settings that it cannot work with.
    package let make: @Sendable (EndpointSettings) throws(SettingsError) -> any Provider

    /// - Throws: ``SettingsError`` for settings that it cannot work with.
    package let makeSender: @Sendable (SenderSettings) throws(SettingsError) -> any Sender

    /// How it is asked about a payment; nil where it cannot be.
    package var inquiry: InquiryDescriptor?
}

extension ProviderDescriptor.Credential {
    /// A new secret in the form in which this system hands them out; nil where it uses a key pair.
    package func freshSecret() -> String? {
        switch self {
        case .rsaKeyPair: nil
        case .secret: Hex.encode(secureRandomBytes(32))
        case .hexSecret(let bytes): Hex.encode(secureRandomBytes(bytes))
        case .standardWebhooksSecret: "whsec_" + Base64.encode(secureRandomBytes(32))
        }
    }
}

/// The systems that ipnd knows: one line each.
package enum ProviderRegistry {
    /// By the name in the configuration.
    package static let all: [String: ProviderDescriptor] = Dictionary(
        uniqueKeysWithValues: list.map { ($0.name, $0) })

    /// In the order in which people are told of them.
    package static let list: [ProviderDescriptor] = [
        .antom, .citconUPI, .citconPay, .ecommpay, .openPaymentPlatform, .standardWebhooks, .hmac,
    ]
}

extension ProviderDescriptor {
    static let antom = ProviderDescriptor(
        name: "antom", title: "Antom", credential: .rsaKeyPair,
        settingsKeys: ["clientID", "keys", "capture"],
        // A proxy that loses the path may lose the client id, too.
        marks: Marks(headers: [["client-id", "signature"], ["request-time", "signature"]]),
        make: Antom.init, makeSender: AntomSender.init, inquiry: .antom)

    static let citconUPI = ProviderDescriptor(
        name: "citcon-upi", title: "Citcon UPI", credential: .secret, settingsKeys: ["secrets"],
        marks: Marks(fields: [["fields", "sign"]]),
        make: CitconUPI.init, makeSender: CitconUPISender.init, inquiry: .citconUPI)

    static let citconPay = ProviderDescriptor(
        name: "citcon-pay", title: "Citcon Pay", credential: .secret, settingsKeys: ["secrets"],
        marks: Marks(fields: [["fields", "sign"]]),
        make: CitconPay.init, makeSender: CitconPaySender.init, inquiry: .citconPay)

    static let ecommpay = ProviderDescriptor(
        name: "ecommpay", title: "ecommpay", credential: .secret,
        settingsKeys: ["secrets", "projectID", "unsignedChargebacks"],
        // The signature stands at the top or in `general`.
        marks: Marks(fields: [
            ["payment", "signature"], ["operation", "signature"], ["payment", "general"],
            ["operation", "general"],
        ]),
        make: Ecommpay.init, makeSender: EcommpaySender.init, inquiry: .ecommpay)

    static let openPaymentPlatform = ProviderDescriptor(
        name: "opp", title: "Open Payment Platform", credential: .hexSecret(bytes: 32),
        settingsKeys: ["secrets", "mode"],
        marks: Marks(
            headers: [["x-initialization-vector"], ["x-authentication-tag"]],
            fields: [["encryptedBody"]]),
        make: OpenPaymentPlatform.init, makeSender: OpenPaymentPlatformSender.init,
        inquiry: .openPaymentPlatform)

    static let standardWebhooks = ProviderDescriptor(
        name: "standard-webhooks", title: "Standard Webhooks", credential: .standardWebhooksSecret,
        settingsKeys: ["secrets", "toleranceSeconds", "fields"],
        marks: Marks(headers: [
            ["webhook-signature"], ["webhook-id", "webhook-timestamp"], ["svix-signature"],
            ["svix-id", "svix-timestamp"],
        ]),
        make: { (settings) throws(SettingsError) in try StandardWebhooks(settings: settings) },
        makeSender: StandardWebhooksSender.init)

    static let hmac = ProviderDescriptor(
        name: "hmac", title: "HMAC webhook", credential: .secret,
        settingsKeys: ["secrets", "hmac", "fields", "toleranceSeconds"],
        // The header of the signature is the endpoint's own: `marks(_:)` adds it.
        marks: Marks(),
        make: { (settings) throws(SettingsError) in try HMACWebhook(settings: settings) },
        makeSender: HMACWebhookSender.init)
}
