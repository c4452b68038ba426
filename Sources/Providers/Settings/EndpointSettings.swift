import Bytes
import Cryptography
import Payments

/// The values of a provider's settings at one endpoint, for all three sides: the endpoint itself,
/// its `inquiry`, and the sender that simulates the provider.
///
/// Each provider declares its settings as a table of `SettingRow`s and reads their values by
/// `Setting`. A user of the library has the provider's own `Settings` instead, such as
/// ``RecipeProvider/Settings``.
public struct EndpointSettings: Sendable {
    /// The endpoint's name in the configuration.
    package var name: String

    /// Limits on the work that a delivery may cause before its signature is verified; the same for
    /// all endpoints, from the configuration's `limits`.
    package var verificationLimits = VerificationLimits()

    /// Certificates and other facts that are kept between requests; the same for all endpoints.
    package var memory = ProviderMemory()

    private var endpoint: [String: SettingValue]
    private var inquiry: [String: SettingValue]
    private var sender: [String: SettingValue]

    /// - Parameters:
    ///   - endpoint: The endpoint's own settings, by key.
    ///   - inquiry: Those of its `inquiry`.
    ///   - sender: The provider's own keys.
    package init(
        name: String, _ endpoint: [String: SettingValue?] = [:],
        inquiry: [String: SettingValue?] = [:], sender: [String: SettingValue?] = [:]
    ) {
        self.name = name
        self.endpoint = endpoint.compactMapValues(\.self)
        self.inquiry = inquiry.compactMapValues(\.self)
        self.sender = sender.compactMapValues(\.self)
    }

    /// The value of a setting by its key.
    package subscript(key: String, side: SettingRow.Side = .endpoint) -> SettingValue? {
        get {
            switch side {
            case .endpoint: endpoint[key]
            case .inquiry: inquiry[key]
            case .sender: sender[key]
            }
        }
        set {
            switch side {
            case .endpoint: endpoint[key] = newValue
            case .inquiry: inquiry[key] = newValue
            case .sender: sender[key] = newValue
            }
        }
    }

    /// The value of a setting; nil if it was left out.
    package subscript<Value>(setting: Setting<Value>) -> Value? {
        get { self[setting.row.key, setting.row.side].flatMap(Value.init(settingValue:)) }
        set { self[setting.row.key, setting.row.side] = newValue?.settingValue }
    }
}

extension EndpointSettings {
    /// Whether payments of a provider's test environment count.
    public enum Mode: String, Sendable, CaseIterable, SettingConvertible {
        case live, test
    }

    /// The party that captures an authorised amount.
    public enum Capture: String, Sendable, CaseIterable, SettingConvertible {
        /// The provider, at once: a successful payment is money taken.
        case automatic
        /// The merchant, by a separate request: a successful payment is an authorisation.
        case manual
    }

    /// The shared secrets, under whichever key the system has them; under the usual one where
    /// there are none yet. A system has one setting of this kind.
    package var secrets: [[UInt8]] {
        get { secretsKey.flatMap { self[$0] }.flatMap([[UInt8]].init(settingValue:)) ?? [] }
        set { self[secretsKey ?? SettingRow.secretsKey] = .secrets(newValue) }
    }

    /// The key of the setting that holds secrets; nil where none does.
    package var secretsKey: String? {
        endpoint.first { if case .secrets = $0.value { true } else { false } }?.key
    }

    /// The public keys, under whichever key the system has them; under the usual one where there
    /// are none yet. A system has one setting of this kind.
    package var keys: [VersionedKey] {
        get { keysKey.flatMap { self[$0] }.flatMap([VersionedKey].init(settingValue:)) ?? [] }
        set { self[keysKey ?? SettingRow.keys.row.key] = .keys(newValue) }
    }

    private var keysKey: String? {
        endpoint.first { if case .keys = $0.value { true } else { false } }?.key
    }

    /// The secrets of a system that requires one.
    ///
    /// - Throws: ``SettingsError`` if there is none, or an empty one: an empty secret would let
    ///   anyone sign.
    func requiredSecrets(
        _ key: String = SettingRow.secretsKey
    ) throws(SettingsError) -> [[UInt8]] {
        guard case .secrets(let secrets) = self[key], !secrets.isEmpty else {
            throw SettingsError(key: key, message: "at least one secret is needed")
        }
        for (index, secret) in secrets.enumerated() where secret.isEmpty {
            throw SettingsError(key: "\(key)[\(index)]", message: "the secret is empty")
        }
        return secrets
    }

    /// The secret that a sender signs with: the first one.
    ///
    /// - Throws: ``SettingsError`` if there is none.
    func senderSecret() throws(SettingsError) -> [UInt8] {
        guard let secret = secrets.first, !secret.isEmpty else {
            throw SettingsError(
                key: "secret", message: "the provider's side of the secret is missing")
        }
        return secret
    }

    /// Returns a credential for a header.
    ///
    /// - Throws: ``SettingsError`` if it is missing, or is not valid in a header.
    func headerText(_ key: String, _ text: String?) throws(SettingsError) -> String {
        let trimmed = String(decoding: Array((text ?? "").utf8).trimmingWhiteSpace, as: UTF8.self)
        guard !trimmed.isEmpty else {
            throw SettingsError(key: key, message: "it is needed to ask this provider")
        }
        guard trimmed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw SettingsError(key: key, message: "it holds characters that no header can carry")
        }
        return trimmed
    }

    /// Returns the value of a setting as a credential for a header.
    func headerText(_ setting: Setting<String>) throws(SettingsError) -> String {
        try headerText(setting.row.key, self[setting])
    }
}

extension SettingRow {
    /// Shared secrets under the usual key, `secrets`.
    package static let secrets = secrets(.text)

    package static func secrets(
        _ form: SecretForm, help: String = "the shared secrets; any that verifies is accepted"
    ) -> Setting<[[UInt8]]> {
        Setting(secretsKey, .secrets(form), help: help) { $0.isRequired = true }
    }

    /// The usual key of shared secrets.
    package static let secretsKey = "secrets"

    /// Public keys under the usual key, `keys`.
    package static let keys = Setting<[VersionedKey]>(
        "keys", .publicKeys(.version), help: "the provider's public keys, each with its version"
    ) { $0.isRequired = true }

    /// The private key of a provider that signs with RSA, for `ipnd send`.
    package static let senderKey = Setting<String>(
        "privateKey", .senderKey(fileExtension: "pem"), side: .sender,
        help: "the provider's private key")

    /// The setting that decides whether payments of the test environment count as payments. The
    /// default is live, which never counts test money.
    package static func mode(
        _ refine: (inout SettingRow) -> Void = { _ in }
    ) -> Setting<EndpointSettings.Mode> {
        Setting(choice: "mode", help: "`live` (default) or `test`, where test payments count") {
            $0.synonyms = ["sandbox": "test"]
            $0.prompt = "live or test"
            $0.standard = "live"
            $0.summary = { $0 == "test" ? "test mode" : nil }
            $0.sandbox = .fixed("test", comment: "`live` refuses to call test payments paid")
            $0.sandboxTrace = { value in
                guard value == "test" else { return nil }
                return SandboxTrace(
                    problem: "test payments count as paid", remedy: "write `mode: live`")
            }
            refine(&$0)
        }
    }
}

/// A setting that makes an endpoint unusable. The configuration adds file and line.
public struct SettingsError: Error, Sendable, Equatable {
    /// The setting as the configuration writes it: `clientID`, `keys[0].publicKey`, `secrets[1]`,
    /// `hmac.header`.
    public let key: String

    /// The problem, without the value of any secret.
    public let message: String

    /// The remedy; nil if the provider's settings must be read again.
    public var remedy: String?

    package init(key: String, message: String, remedy: String? = nil) {
        self.key = key
        self.message = message
        self.remedy = remedy
    }
}

extension SettingsError: CustomStringConvertible {
    public var description: String {
        "\(key): \(message)" + (remedy.map { "; \($0)" } ?? "")
    }
}
