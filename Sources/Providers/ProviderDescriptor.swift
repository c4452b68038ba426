import Bytes

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
}
