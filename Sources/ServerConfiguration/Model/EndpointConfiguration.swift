import Bytes
import Cryptography
import Platform
import Providers
import Redaction

/// An endpoint: one path that one provider sends its notifications to.
package struct EndpointConfiguration: Sendable {
    /// The unique name, used in the journal, metrics and commands.
    package var name: String
    /// The file that describes it, as findings name it: the configuration or an included file.
    package var file: String
    /// Its place there, as in `endpoints[0]`; empty where the file holds nothing else.
    package var key: String
    /// The path in requests as they arrive here.
    package var path: String
    /// The path that the provider calls, if a proxy rewrites it. Signatures may cover it.
    package var publicPath: String
    /// The system.
    package var descriptor: ProviderDescriptor
    /// The provider with this endpoint's settings.
    package var provider: any Provider
    package var settings: EndpointSettings
    /// The networks that clients may connect from; empty allows all.
    package var allow: [IPNetwork]
    /// The networks from which unsigned notifications are accepted, where the provider sends some;
    /// empty accepts none.
    package var unsignedFrom: [IPNetwork]
    /// The members of its requests that are replaced before they are stored.
    package var redact: [RedactionRule] = []
    /// The public keys by version, for people to compare.
    package var fingerprints: [KeyFingerprint]
    /// The sources of the secrets, in their order; never the secrets themselves.
    package var secretSources: [SecretSource]
    /// The settings of inquiries to the provider; nil for none.
    package var inquiry: InquiryConfiguration?

    /// The system's name.
    package var system: String { descriptor.name }
}

/// A short identifier of a public key, for people.
package struct KeyFingerprint: Sendable, Equatable {
    /// The provider's name for it: `version 1`, or its serial.
    package let name: String
    /// The first 16 hex digits of the SHA-256 of the key's DER (SPKI) form, the value that
    /// `openssl pkey -pubin -outform DER | sha256sum` begins with; of a certificate, of the whole.
    package let digits: String

    init?(_ key: VersionedKey) {
        self.init(name: key.serial.isEmpty ? "version \(key.version)" : key.serial, text: key.text)
    }

    /// - Parameter text: PEM or bare Base64 of DER.
    init?(name: String = "", text: String) {
        var lines = text.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
        lines.removeAll { $0.hasPrefix("-----") || $0.isEmpty }
        guard let der = Base64.decode(strict: Array(lines.joined().utf8)[...]) else { return nil }
        self.name = name
        digits = String(Hex.encode(SHA256.hash(der)).prefix(16))
    }
}

/// The source of a value that the configuration refers to.
package enum SecretSource: Sendable, Equatable, CustomStringConvertible {
    /// The absolute path of a file.
    case file(String)
    /// The name of an environment variable.
    case variable(String)
    /// The configuration itself; only for public values.
    case inline

    package var description: String {
        switch self {
        case .file(let path): "file \(path)"
        case .variable(let name): "variable \(name)"
        case .inline: "given in place"
        }
    }
}
