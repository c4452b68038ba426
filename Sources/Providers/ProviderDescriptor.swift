import Bytes
import Cryptography

/// The interface of a provider to the rest of ipnd: its name, its settings, and functions that
/// create its parts. A provider's folder declares one; ``ProviderRegistry`` lists it.
package struct ProviderDescriptor: Sendable {
    /// The name in the configuration.
    package let name: String

    /// The name for people.
    package let title: String

    /// The endpoint's name in the folder of `ipnd init`.
    package var sandboxName: String

    /// The settings, in the order of the questions and of the written file.
    package let settings: [SettingRow]

    /// The marks of its notifications, which identify one at a wrong path.
    package let marks: Marks

    /// Marks that depend on an endpoint's own settings.
    package var ownMarks: @Sendable (EndpointSettings) -> Marks = { _ in Marks() }

    /// The place where the URL is entered at the provider, for a sentence after "enter it as".
    package let urlPlace: String

    /// Returns a mistake in an endpoint's settings that the provider itself accepts.
    package var problem: @Sendable (EndpointSettings) -> SettingsError? = { _ in nil }

    /// Warnings of `ipnd check` at each endpoint of this system.
    package var warnings: [ProviderWarning] = []

    /// Further endpoints in the folder of `ipnd init`.
    package var examples: [SandboxExample] = []

    /// Creates the provider.
    ///
    /// - Throws: ``SettingsError`` for unusable settings.
    package let make: @Sendable (EndpointSettings) throws(SettingsError) -> any Provider

    /// Creates the provider's side of a notification.
    ///
    /// - Throws: ``SettingsError`` for unusable settings.
    package let makeSender: @Sendable (EndpointSettings) throws(SettingsError) -> any Sender

    /// The inquiry of a payment; nil if the provider cannot be asked.
    package var inquiry: InquiryDescriptor?

    init(
        name: String, title: String, sandboxName: String? = nil, settings: [SettingRow],
        marks: Marks, urlPlace: String,
        make: @escaping @Sendable (EndpointSettings) throws(SettingsError) -> any Provider,
        makeSender: @escaping @Sendable (EndpointSettings) throws(SettingsError) -> any Sender,
        inquiry: InquiryDescriptor? = nil
    ) {
        self.name = name
        self.title = title
        self.sandboxName = sandboxName ?? name
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
    }

    package var credential: Credential {
        for row in settings {
            switch row.kind {
            case .publicKeys: return .rsaKeyPair
            case .secrets(let form): return .secret(form)
            default: break
            }
        }
        return .secret(.text)
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
            fresh.secrets = [Array(form.fresh().utf8)]
            for row in rows(.sender) { fresh[row.key, .sender] = nil }
        case .rsaKeyPair:
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
