import Bytes
import Cryptography

/// The interface of a provider to the rest of ipnd: its name, its settings, and functions that
/// create its parts. A provider's folder declares one, which ``ProviderRegistry`` lists; a recipe
/// makes one.
package struct ProviderDescriptor: Sendable {
    /// The name in the configuration.
    package let name: String

    /// The name for people.
    package let title: String

    /// The endpoint's name in the folder of `ipnd init`.
    package var sandboxName: String

    /// The name in the certificate of `ipnd init`, for one whose notifications a certificate
    /// verifies.
    package var sandboxCertificateName: String?

    /// The settings, in the order in which they are asked for and written.
    package let settings: [SettingRow]

    /// The marks of its notifications, which identify one at a wrong path.
    package let marks: Marks

    /// Marks that depend on an endpoint's own settings.
    package var ownMarks: @Sendable (EndpointSettings) -> Marks = { _ in Marks() }

    /// The place where the URL is entered at the provider, for a sentence after "enter it as".
    package let urlPlace: String

    /// Returns a mistake in an endpoint's settings that the provider itself accepts.
    package var problem: @Sendable (EndpointSettings) -> SettingsError? = { _ in nil }

    /// Whether an endpoint with these settings asks its provider without `inquiry`, too, because
    /// its notifications may only say that something happened.
    package var asksByItself: @Sendable (EndpointSettings) -> Bool = { _ in false }

    /// Warnings of `ipnd check` at each endpoint of this system.
    package var warnings: [ProviderWarning] = []

    /// Further endpoints in the folder of `ipnd init`.
    package var examples: [SandboxExample] = []

    /// Mistakes of senders that `ipnd explain` tries.
    package var mistakes: [SenderMistake] = []

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for unusable settings.
    package private(set) var make:
        @Sendable (EndpointSettings) throws(SettingsError) -> any Provider

    /// Creates the provider's side of a notification.
    ///
    /// - Throws: ``SettingsError`` for unusable settings.
    package let makeSender: @Sendable (EndpointSettings) throws(SettingsError) -> any Sender

    /// The inquiry of a payment; nil if the provider cannot be asked.
    package var inquiry: InquiryDescriptor?

    init(
        name: String, title: String, sandboxName: String? = nil,
        sandboxCertificateName: String? = nil, settings: [SettingRow],
        marks: Marks, urlPlace: String,
        make: @escaping @Sendable (EndpointSettings) throws(SettingsError) -> any Provider,
        makeSender: @escaping @Sendable (EndpointSettings) throws(SettingsError) -> any Sender,
        inquiry: InquiryDescriptor? = nil
    ) {
        self.name = name
        self.title = title
        self.sandboxName = sandboxName ?? name
        self.sandboxCertificateName = sandboxCertificateName
        self.settings = settings
        self.marks = marks
        self.urlPlace = urlPlace
        self.make = make
        self.makeSender = makeSender
        self.inquiry = inquiry
    }
}

/// A warning at every endpoint of a system.
package struct ProviderWarning: Sendable {
    package let problem: String
    package let remedy: String

    /// Whether `allow` at the endpoint settles it.
    package var isSettledByAllow = false
}

/// A mistake of programs that sign in a system's name, such as tests or a relay.
package struct SenderMistake: Sendable {
    /// The cause's code, in snake_case.
    package let code: String

    /// The cause, as a clause.
    package let sentence: String
    package let remedy: String

    /// The provider that verifies what is signed with this mistake.
    let make: @Sendable (EndpointSettings) throws(SettingsError) -> any Provider
}

/// An endpoint in the folder of `ipnd init` that shows another use of a system.
package struct SandboxExample: Sendable {
    package let name: String

    /// Creates the endpoint's secret or key, and the sender's own key if it differs.
    package let make: @Sendable () throws(KeyError) -> (endpoint: String, sender: String?)

    /// The file with the endpoint's key or secret, below the folder.
    package let file: String

    /// The lines of the item of `endpoints:` after `name`, `path` and `provider`, without
    /// indentation.
    package let lines: [String]
}

extension ProviderDescriptor {
    /// The kind of credential with which an endpoint of this system verifies.
    package enum Credential: Sendable, Equatable {
        /// The provider's RSA public key; the sender has the private one.
        case rsaKeyPair
        /// A shared secret.
        case secret(SettingRow.SecretForm)
        /// A certificate that the provider publishes; the endpoint holds none.
        case certificate
    }

    package var credential: Credential {
        for row in settings {
            switch row.kind {
            case .publicKeys: return .rsaKeyPair
            case .secrets(let form): return .secret(form)
            case .certificates: return .certificate
            default: break
            }
        }
        return .secret(.text)
    }

    /// The key of the setting that holds the shared secrets.
    package var secretsKey: String {
        settings.first { if case .secrets = $0.kind { true } else { false } }?.key
            ?? SettingRow.secretsKey
    }

    /// The key of the setting that holds the public keys.
    package var keysKey: String {
        settings.first { if case .publicKeys = $0.kind { true } else { false } }?.key
            ?? SettingRow.keys.row.key
    }

    /// The same system for requests that are signed with a mistake.
    package func taking(_ mistake: SenderMistake) -> ProviderDescriptor {
        var other = self
        other.make = mistake.make
        return other
    }

    /// The rows of one side.
    package func rows(_ side: SettingRow.Side) -> [SettingRow] {
        settings.filter { $0.side == side }
    }

    /// The keys of one side as the configuration spells them. Any other key is a mistake.
    package func keys(_ side: SettingRow.Side = .endpoint) -> Set<String> {
        Set(rows(side).map(\.key))
    }

    /// Returns the system's marks and those from an endpoint's own settings.
    package func marks(_ settings: EndpointSettings) -> Marks {
        let own = ownMarks(settings)
        return Marks(headers: marks.headers + own.headers, fields: marks.fields + own.fields)
    }

    /// Returns these settings with new keys, which no receiver has.
    ///
    /// - Throws: ``SettingsError`` if no key can be generated.
    package func withFreshKeys(
        _ settings: EndpointSettings
    ) throws(SettingsError) -> EndpointSettings {
        var fresh = settings
        switch credential {
        case .secret(let form):
            fresh[secretsKey] = .secrets([Array(form.fresh().utf8)])
            for row in rows(.sender) { fresh[row.key, .sender] = nil }
        case .rsaKeyPair, .certificate:
            do throws(KeyError) {
                fresh[SettingRow.senderKey] = try RSAPrivateKey.generate().pem
            } catch {
                throw SettingsError(key: "privateKey", message: "\(error)")
            }
        }
        return fresh
    }

    /// Returns settings with the sandbox's values and new keys: enough for a sender that only
    /// judges answers.
    ///
    /// - Throws: ``SettingsError`` if no key can be generated.
    package func sampleSettings() throws(SettingsError) -> EndpointSettings {
        var settings = EndpointSettings(name: name)
        for row in rows(.endpoint) {
            settings[row.key] = row.sandbox.flatMap { try? $0.make() }
        }
        return try withFreshKeys(settings)
    }
}
