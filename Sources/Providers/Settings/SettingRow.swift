import Bytes
import Cryptography

/// One setting of a provider: a row of the table that the provider's folder declares.
///
/// The table drives the configuration's parser, `ipnd check`, `ipnd add`, the sandbox of
/// `ipnd init`, the causes that `ipnd explain` tries, and the settings tables of
/// config/providers.md. ``Setting`` is the same row with the type of its value.
package struct SettingRow: Sendable {
    /// Where a setting is written.
    package enum Side: Sendable, CaseIterable {
        /// In the endpoint.
        case endpoint
        /// In the endpoint's `inquiry`.
        case inquiry
        /// Nowhere: a key of the provider's own, in `sandbox/`, with which `ipnd send` signs.
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
        /// A list of `{version, publicKey}`.
        case publicKeys
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

    /// The form in which a provider hands out its secrets.
    package enum SecretForm: Sendable, Equatable {
        case text
        case hex(bytes: Int)
        case base64(bytes: Int)
        /// `whsec_` and Base64.
        case standardWebhooks
    }

    /// The name in the configuration.
    package let key: String
    package let side: Side
    package let kind: Kind

    /// One clause for the documentation: what the value is, and its default.
    package var help: String

    /// Whether no endpoint works without it.
    package var isRequired = false

    /// The question of `ipnd add`; nil where it does not ask.
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

    /// Set where a notification names the account that it is for.
    package var account: AccountHint?

    /// Whether a sender needs it; only for ``Side/sender``.
    package var isNeeded: @Sendable (EndpointSettings) -> Bool = { _ in true }
}

extension SettingRow {
    /// Whether it says by which account and keys a notification is verified.
    package var isCredential: Bool {
        switch kind {
        case .secrets, .publicKeys: true
        default: account != nil
        }
    }
}

/// A setting's value in the folder of `ipnd init`.
package struct SandboxValue: Sendable {
    /// The value, made anew for each folder.
    package let make: @Sendable () throws(KeyError) -> SettingValue

    /// The lines below the key, indented by two, for a value that one line cannot hold.
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
package struct AccountHint: Sendable, Equatable {
    /// The cause's code, in snake_case.
    package let code: String

    /// The cause, as a clause.
    package let sentence: String

    /// The header that names the account, in lower case; nil where the body does.
    package let header: String?

    /// The JSON pointer to the account in the body; nil where the provider does not need to know
    /// it to verify.
    package let pointer: String?

    package init(code: String, sentence: String, header: String? = nil, pointer: String? = nil) {
        self.code = code
        self.sentence = sentence
        self.header = header
        self.pointer = pointer
    }
}

extension SettingRow.SecretForm {
    /// A new secret in this form.
    package func fresh() -> String {
        switch self {
        case .text: Hex.encode(secureRandomBytes(32))
        case .hex(let bytes): Hex.encode(secureRandomBytes(bytes))
        case .base64(let bytes): Base64.encode(secureRandomBytes(bytes))
        case .standardWebhooks: "whsec_" + Base64.encode(secureRandomBytes(32))
        }
    }
}
