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
