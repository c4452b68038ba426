import JSON
import Providers

/// Reads the `config` of a vector: the endpoint's settings under the same names as in the
/// configuration, with secrets and keys as text.
struct VectorSettings {
    let descriptor: ProviderDescriptor

    /// - Throws: ``SettingsError`` that names a setting which the provider does not have, or whose
    ///   value has another form.
    func settings(_ config: JSONValue) throws(SettingsError) -> EndpointSettings {
        var settings = EndpointSettings(name: descriptor.name)
        // A note is for people.
        for (key, value) in config.members where key != "note" {
            guard let row = row(key) else {
                let known = descriptor.keys().sorted().joined(separator: ", ")
                throw SettingsError(
                    key: key, message: "\(descriptor.name) has no such setting; it has \(known)")
            }
            guard let parsed = Self.value(row, value) else {
                throw SettingsError(key: key, message: "the value has another form")
            }
            settings[key, row.side] = parsed
        }
        if let problem = descriptor.problem(settings) { throw problem }
        return settings
    }

    private func row(_ key: String) -> SettingRow? {
        descriptor.rows(.endpoint).first { $0.key == key }
            ?? descriptor.rows(.inquiry).first { $0.key == key }
    }

    private static func value(_ row: SettingRow, _ json: JSONValue) -> SettingValue? {
        switch row.kind {
        case .choice(let words):
            guard let word = json.string.map({ row.synonyms[$0] ?? $0 }), words.contains(word)
            else { return nil }
            return .text(word)
        case .integer(let range):
            guard let number = json.int64, let integer = Int(exactly: number),
                range.contains(integer)
            else { return nil }
            return .integer(integer)
        case .texts: return texts(json).map { .texts($0) }
        case .secrets(.keyPair):
            return .secrets(
                json.elements.map {
                    let parts = [$0["publicKey"], $0["privateKey"]].map { $0?.string ?? "" }
                    return Array(parts.joined(separator: "|").utf8)
                })
        case .secrets: return texts(json).map { .secrets($0.map { Array($0.utf8) }) }
        case .publicKeys:
            let keys = json.elements.enumerated().compactMap { place, value -> VersionedKey? in
                if let text = value.string { return VersionedKey(version: place + 1, text: text) }
                let serial = value["serial"]?.string
                guard let version = value["version"]?.int64 ?? serial.map({ _ in 1 }),
                    let text = value["publicKey"]?.string ?? value["certificate"]?.string
                else { return nil }
                return VersionedKey(
                    version: Int(clamping: version), serial: serial ?? "", text: text)
            }
            return keys.isEmpty ? nil : .keys(keys)
        case .networks: return texts(json["allow"] ?? json).map { .texts($0) }
        default: return plain(json)
        }
    }

    /// A value by its own form: a text, a number, or a list of texts.
    private static func plain(_ json: JSONValue) -> SettingValue? {
        if let text = json.string { return .text(text) }
        if let number = json.int64, let integer = Int(exactly: number) { return .integer(integer) }
        return json.kind == .array ? texts(json).map { .texts($0) } : nil
    }

    /// A list of texts, or one text.
    private static func texts(_ json: JSONValue) -> [String]? {
        if let text = json.string { return [text] }
        guard json.kind == .array else { return nil }
        let texts = json.elements.map(\.string)
        return texts.contains(nil) ? nil : texts.compactMap(\.self)
    }
}
