/// A row of a provider's settings table with the type of its value:
///
/// ```swift
/// static let clientID = Setting<String>("clientID", .text, help: "the client id")
/// …
/// guard let id = settings[clientID] else { … }
/// ```
package struct Setting<Value: SettingConvertible>: Sendable {
    package let row: SettingRow

    package init(
        _ key: String, _ kind: SettingRow.Kind, side: SettingRow.Side = .endpoint, help: String,
        _ refine: (inout SettingRow) -> Void = { _ in }
    ) {
        var row = SettingRow(key: key, side: side, kind: kind, help: help)
        refine(&row)
        self.row = row
    }

    /// Returns an error that names this setting.
    func error(_ message: String) -> SettingsError { SettingsError(key: row.key, message: message) }
}

extension Setting where Value: CaseIterable & RawRepresentable<String> {
    /// A setting that takes one of the words of `Value`.
    package init(
        choice key: String, side: SettingRow.Side = .endpoint, help: String,
        _ refine: (inout SettingRow) -> Void = { _ in }
    ) {
        self.init(
            key, .choice(Value.allCases.map(\.rawValue)), side: side, help: help, refine)
    }
}

/// A setting's value as the configuration gives it, with every reference to a file or variable
/// already resolved.
///
/// Literals are values: `"C-1"`, `300`, `["whsec_…"]`. A list of texts is also taken as secrets or
/// as public keys where the setting is one of those.
///
/// ```swift
/// let settings: [String: SettingValue] = [
///     "clientID": "C-1", "keys": .keys([.init(version: 2, text: pem)]), "capture": "manual",
/// ]
/// ```
public enum SettingValue: Sendable, Equatable, Codable {
    /// A text: a name, an id, one of several words, a single secret.
    case text(String)
    /// A whole number.
    case integer(Int)
    /// A list of texts.
    case texts([String])
    /// Shared secrets, as bytes.
    case secrets([[UInt8]])
    /// Public keys with their versions or serial numbers.
    case keys([VersionedKey])
    /// The form of a signature.
    case scheme(HMACScheme)
    /// Where a body holds the facts.
    case fields(FieldMapping)
}

extension SettingValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(arrayLiteral values: String...) { self = .texts(values) }
}

/// A public key with the name that the provider's dashboard shows.
public struct VersionedKey: Sendable, Equatable, Codable {
    /// Its version; its place in the list, from 1, where the provider names it by `serial`.
    public let version: Int

    /// The serial number or id by which a signature names it; empty where there is none.
    public let serial: String

    /// PEM or bare Base64 of DER.
    public let text: String

    /// The name under which records keep that it verified a request.
    package var name: String { serial.isEmpty ? String(version) : serial }

    /// Creates a key from its text.
    public init(version: Int, serial: String = "", text: String) {
        self.version = version
        self.serial = serial
        self.text = text
    }
}

/// A type that a setting's value is read as.
package protocol SettingConvertible {
    init?(settingValue: SettingValue)
    var settingValue: SettingValue { get }
}

extension SettingConvertible where Self: RawRepresentable<String> {
    package init?(settingValue: SettingValue) {
        guard case .text(let word) = settingValue else { return nil }
        self.init(rawValue: word)
    }

    package var settingValue: SettingValue { .text(rawValue) }
}

extension String: SettingConvertible {
    package init?(settingValue: SettingValue) {
        guard case .text(let text) = settingValue else { return nil }
        self = text
    }

    package var settingValue: SettingValue { .text(self) }
}

extension Int: SettingConvertible {
    package init?(settingValue: SettingValue) {
        guard case .integer(let number) = settingValue else { return nil }
        self = number
    }

    package var settingValue: SettingValue { .integer(self) }
}

extension HMACScheme: SettingConvertible {
    package init?(settingValue: SettingValue) {
        guard case .scheme(let scheme) = settingValue else { return nil }
        self = scheme
    }

    package var settingValue: SettingValue { .scheme(self) }
}

extension FieldMapping: SettingConvertible {
    package init?(settingValue: SettingValue) {
        guard case .fields(let fields) = settingValue else { return nil }
        self = fields
    }

    package var settingValue: SettingValue { .fields(self) }
}

/// The types that a list of settings can hold.
package protocol SettingElement {
    static func list(_ value: SettingValue) -> [Self]?
    static func value(_ list: [Self]) -> SettingValue
}

extension Array: SettingConvertible where Element: SettingElement {
    package init?(settingValue: SettingValue) {
        guard let list = Element.list(settingValue) else { return nil }
        self = list
    }

    package var settingValue: SettingValue { Element.value(self) }
}

extension String: SettingElement {
    package static func list(_ value: SettingValue) -> [String]? {
        if case .texts(let list) = value { list } else { nil }
    }

    package static func value(_ list: [String]) -> SettingValue { .texts(list) }
}

extension [UInt8]: SettingElement {
    package static func list(_ value: SettingValue) -> [[UInt8]]? {
        if case .secrets(let list) = value { list } else { nil }
    }

    package static func value(_ list: [[UInt8]]) -> SettingValue { .secrets(list) }
}

extension VersionedKey: SettingElement {
    package static func list(_ value: SettingValue) -> [VersionedKey]? {
        if case .keys(let list) = value { list } else { nil }
    }

    package static func value(_ list: [VersionedKey]) -> SettingValue { .keys(list) }
}
