import Bytes

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
