import Bytes
import Cryptography
import Platform
import Providers

/// One path that one provider sends its notifications to.
package struct EndpointConfiguration: Sendable {
    /// Unique; used in journal, metrics and commands.
    package var name: String
    /// As requests have it when they come in here.
    package var path: String
    /// As the provider calls it, where a proxy rewrites it; signatures may cover it.
    package var publicPath: String
    /// The system.
    package var descriptor: ProviderDescriptor
    /// The provider's rules with this endpoint's settings.
    package var provider: any Provider
    package var settings: EndpointSettings
    /// The networks that clients may come from; empty allows all.
    package var allow: [IPNetwork]
    /// The networks from which unsigned notifications are taken, where the provider sends some;
    /// empty takes none.
    package var unsignedFrom: [IPNetwork]
    /// The public keys by version, for people to compare.
    package var fingerprints: [KeyFingerprint]
    /// Where the secrets come from, in their order; never what they are.
    package var secretSources: [SecretSource]
    /// How the provider is asked about a payment; nil where it is not.
    package var inquiry: InquiryConfiguration?

    /// The system's name.
    package var system: String { descriptor.name }
}

/// What identifies a public key to people.
package struct KeyFingerprint: Sendable, Equatable {
    package let version: Int
    /// The first 16 hex digits of the SHA-256 of the key's DER (SPKI) form, the value that
    /// `openssl pkey -pubin -outform DER | sha256sum` begins with.
    package let digits: String

    /// - Parameter text: PEM or bare Base64 of DER.
    init?(version: Int, text: String) {
        var lines = text.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
        lines.removeAll { $0.hasPrefix("-----") || $0.isEmpty }
        guard let der = Base64.decode(strict: Array(lines.joined().utf8)[...]) else { return nil }
        self.version = version
        digits = String(Hex.encode(SHA256.hash(der)).prefix(16))
    }
}

/// Where a value that the configuration only refers to comes from.
package enum SecretSource: Sendable, Equatable, CustomStringConvertible {
    /// The absolute path of a file.
    case file(String)
    /// The name of an environment variable.
    case variable(String)
    /// The configuration itself; only for what is public.
    case inline

    package var description: String {
        switch self {
        case .file(let path): "file \(path)"
        case .variable(let name): "variable \(name)"
        case .inline: "given in place"
        }
    }
}
