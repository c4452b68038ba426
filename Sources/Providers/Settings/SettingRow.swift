import Bytes
import Cryptography

/// One setting of a provider: a row of the table that the provider's folder declares.
///
/// The table drives the configuration's parser, `ipnd check`, `ipnd add`, the sandbox of
/// `ipnd init`, the causes that `ipnd explain` tries, and the settings tables of
/// config/providers.md. ``Setting`` is the same row with the type of its value.
package struct SettingRow: Sendable {
    /// The place where a setting is written.
    package enum Side: Sendable, CaseIterable {
        /// A setting of the endpoint itself.
        case endpoint
        /// A setting of the endpoint's `inquiry`.
        case inquiry
        /// A key of the provider's side in `sandbox/`, with which `ipnd send` signs. It is in no
        /// configuration.
        case sender
    }

    /// The form of a value in YAML.
    package enum Kind: Sendable, Equatable {
        case text
        case choice([String])
        case integer(ClosedRange<Int>)
        case texts
        /// One reference to a secret text.
        case secret
        /// A list of references to secrets; any that verifies is accepted.
        case secrets(SecretForm)
        /// A list of `{version, publicKey}`, of `{serial, publicKey}` and `{serial, certificate}`,
        /// or of the keys alone.
        case publicKeys(KeyName)
        /// `{allow: [network, …]}`.
        case networks
        /// The form of `hmac`.
        case signatureScheme
        /// The form of `fields`.
        case fieldMapping
        /// The path of a PEM file with certificates; its value is what the file holds.
        case certificates
        /// A private key in `sandbox/`, in a file with this extension.
        case senderKey(fileExtension: String)
    }

    /// How a provider names its public keys.
    package enum KeyName: Sendable, Equatable {
        /// By a number.
        case version
        /// By a certificate's serial number or another text, which each signature names.
        case serial
        /// Not at all: any key of the list may have signed.
        case unnamed
    }

    /// The form in which a provider issues its secrets.
    package enum SecretForm: Sendable, Equatable {
        case text
        case hex(bytes: Int)
        case base64(bytes: Int)
        /// Text of this length.
        case characters(Int)
        /// `whsec_` and Base64.
        case standardWebhooks
        /// A public and a private part, `publicKey|privateKey`.
        case keyPair
    }

    /// The name in the configuration.
    package let key: String
    package let side: Side
    package let kind: Kind

    /// One clause for the documentation: what the value is, and its default.
    package var help: String

    /// Whether every endpoint needs it.
    package var isRequired = false

    /// The question of `ipnd add`; nil if it does not ask.
    package var prompt: String?

    /// The answer that `ipnd add` offers.
    package var standard: String?

    /// The value in the folder of `ipnd init`; nil leaves the setting out. Secrets and key pairs
    /// are generated.
    package var sandbox: SandboxValue?

    /// Other words for those of a choice, by which providers call the same.
    package var synonyms: [String: String] = [:]

    /// A clause of `ipnd check`'s description; nil for a value that needs none.
    package var summary: @Sendable (SettingValue) -> String? = { _ in nil }

    /// The problem with this value where real notifications arrive; nil if there is none.
    package var sandboxTrace: @Sendable (SettingValue) -> SandboxTrace? = { _ in nil }

    /// The means to detect a notification for another account; nil if notifications do not name it.
    package var account: AccountHint?

    /// Whether a sender needs it; only for ``Side/sender``.
    package var isNeeded: @Sendable (EndpointSettings) -> Bool = { _ in true }
}

extension SettingRow {
    /// Whether it identifies the account or the keys by which a notification is verified.
    package var isCredential: Bool {
        switch kind {
        case .secrets, .publicKeys: true
        default: account != nil
        }
    }
}

/// A setting's value in the folder of `ipnd init`.
package struct SandboxValue: Sendable {
    /// Creates the value, another one for each folder.
    package let make: @Sendable () throws(KeyError) -> SettingValue

    /// The lines below the key, indented by two, for a value that does not fit on one line.
    package var lines: [String] = []

    /// A comment at the end of the line.
    package var comment: String?

    package static func fixed(
        _ value: SettingValue, lines: [String] = [], comment: String? = nil
    ) -> SandboxValue {
        SandboxValue(make: { value }, lines: lines, comment: comment)
    }

    package static func generated(
        _ make: @escaping @Sendable () throws(KeyError) -> SettingValue
    ) -> SandboxValue {
        SandboxValue(make: make)
    }
}

/// A value of a sandbox that must not be left where real notifications arrive.
package struct SandboxTrace: Sendable {
    package let problem: String
    package let remedy: String

    package init(problem: String, remedy: String) {
        self.problem = problem
        self.remedy = remedy
    }
}

/// How `ipnd explain` finds out that a notification is for another account.
package struct AccountHint: Sendable, Equatable, Codable {
    /// The cause's code, in snake_case.
    package let code: String

    /// The cause, as a clause.
    package let sentence: String

    /// The header that names the account, in lower case; nil if the body does.
    package let header: String?

    /// The JSON pointer to the account in the body; nil where the provider does not need to know
    /// it to verify.
    package let pointer: String?

    /// Values to try where neither header nor body names it.
    package var candidates: [SettingValue] = []

    /// The remedy; nil for the usual one, to correct the setting.
    package var remedy: String?

    package init(code: String, sentence: String, header: String? = nil, pointer: String? = nil) {
        self.code = code
        self.sentence = sentence
        self.header = header
        self.pointer = pointer
    }
}

extension SettingRow.SecretForm {
    /// Returns a new secret in this form.
    package func fresh() -> String {
        switch self {
        case .text: Hex.encode(secureRandomBytes(32))
        case .hex(let bytes): Hex.encode(secureRandomBytes(bytes))
        case .base64(let bytes): Base64.encode(secureRandomBytes(bytes))
        case .characters(let count): String(Hex.encode(secureRandomBytes(count)).prefix(count))
        case .standardWebhooks: "whsec_" + Base64.encode(secureRandomBytes(32))
        case .keyPair:
            "\(Hex.encode(secureRandomBytes(8)))|\(Hex.encode(secureRandomBytes(16)))"
        }
    }
}
