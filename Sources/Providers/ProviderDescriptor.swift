import Bytes
import Cryptography

/// Everything that the rest of ipnd knows of a system: its name, its settings, and how its parts
/// are made. A provider's folder declares one, which ``ProviderRegistry`` lists; a recipe is one.
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

    /// The marks of its notifications, by which one at a wrong path is recognised.
    package let marks: Marks

    /// Marks that depend on an endpoint's own settings.
    package var ownMarks: @Sendable (EndpointSettings) -> Marks = { _ in Marks() }

    /// Where the provider wants the notification URL, after "enter it as".
    package let urlPlace: String

    /// A mistake in an endpoint's settings that the provider itself would work with.
    package var problem: @Sendable (EndpointSettings) -> SettingsError? = { _ in nil }

    /// Warnings of `ipnd check` at each endpoint of this system.
    package var warnings: [ProviderWarning] = []

    /// Further endpoints in the folder of `ipnd init`.
    package var examples: [SandboxExample] = []

    /// - Throws: ``SettingsError`` for settings that it cannot work with.
    package let make: @Sendable (EndpointSettings) throws(SettingsError) -> any Provider

    /// - Throws: ``SettingsError`` for settings that it cannot work with.
    package let makeSender: @Sendable (EndpointSettings) throws(SettingsError) -> any Sender

    /// How it is asked about a payment; nil where it cannot be.
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

/// An endpoint in the folder of `ipnd init` that shows one more use of a system.
package struct SandboxExample: Sendable {
    package let name: String

    /// The secret or key that the endpoint holds, and the sender's own key where it is another one.
    package let make: @Sendable () throws(KeyError) -> (endpoint: String, sender: String?)

    /// The file with the endpoint's key or secret, below the folder.
    package let file: String

    /// The item of `endpoints:` behind `name`, `path` and `provider`, without indentation.
    package let lines: [String]
}

extension ProviderDescriptor {
    /// How an endpoint of this system verifies.
    package enum Credential: Sendable, Equatable {
        /// By the provider's RSA public key; the sender has the private one.
        case rsaKeyPair
        /// By a shared secret.
        case secret(SettingRow.SecretForm)
        /// By a certificate that the provider publishes; the endpoint holds none of its own.
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

    /// The rows of one side.
    package func rows(_ side: SettingRow.Side) -> [SettingRow] {
        settings.filter { $0.side == side }
    }

    /// The keys of one side as the configuration spells them. Any other one is a mistake.
    package func keys(_ side: SettingRow.Side = .endpoint) -> Set<String> {
        Set(rows(side).map(\.key))
    }

    /// The system's marks, and those that only an endpoint's own settings give.
    package func marks(_ settings: EndpointSettings) -> Marks {
        let own = ownMarks(settings)
        return Marks(headers: marks.headers + own.headers, fields: marks.fields + own.fields)
    }

    /// The same settings with keys that no receiver has.
    ///
    /// - Throws: ``SettingsError`` where no key could be generated.
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

    /// Settings with the sandbox's values and fresh keys: enough for a sender that only judges
    /// answers.
    ///
    /// - Throws: ``SettingsError`` where no key could be generated.
    package func sampleSettings() throws(SettingsError) -> EndpointSettings {
        var settings = EndpointSettings(name: name)
        for row in rows(.endpoint) {
            settings[row.key] = row.sandbox.flatMap { try? $0.make() }
        }
        return try withFreshKeys(settings)
    }
}
