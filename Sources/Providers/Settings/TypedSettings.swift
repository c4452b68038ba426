/// A provider's settings as a Swift type, for a library's user. They become the values that the
/// configuration gives, so that both are read by the same code.
protocol TypedSettings: Sendable {
    static var descriptor: ProviderDescriptor { get }

    /// Sets the value of each row. A value that is nil is left out.
    func write(to values: inout EndpointSettings)
}

extension TypedSettings {
    /// - Throws: ``SettingsError`` for a value that its row does not allow.
    func endpoint() throws(SettingsError) -> EndpointSettings {
        var values = EndpointSettings(name: Self.descriptor.name)
        write(to: &values)
        return try Self.descriptor.checked(values)
    }
}

extension EndpointSettings {
    /// Sets secrets that are given as texts.
    mutating func set(_ secrets: [String], as setting: Setting<[[UInt8]]>) {
        self[setting] = secrets.map { Array($0.utf8) }
    }
}

extension ProviderDescriptor {
    /// Returns the endpoint's settings by their keys, each in the form that its row declares.
    ///
    /// - Throws: ``SettingsError`` for a key that the provider does not have, and for a value that
    ///   its row does not allow.
    func endpoint(_ given: [String: SettingValue]) throws(SettingsError) -> EndpointSettings {
        let known = rows(.endpoint).map(\.key)
        // Sorted, so that of several mistakes the same one is reported each time.
        for key in given.keys.sorted() where !known.contains(where: { $0.isExactly(key) }) {
            throw SettingsError(
                key: key, message: "\(name) has no such setting",
                remedy: "its settings are \(known.joined(separator: ", "))")
        }
        return try checked(EndpointSettings(name: name, given))
    }

    /// Returns `settings` with the endpoint's values in the form that each row declares.
    ///
    /// - Throws: ``SettingsError`` for a value that its row does not allow, and for settings that
    ///   do not fit together.
    func checked(_ settings: EndpointSettings) throws(SettingsError) -> EndpointSettings {
        var checked = settings
        for row in rows(.endpoint) {
            if let value = settings[row.key] { checked[row.key] = try row.accepted(value) }
        }
        if let problem = problem(checked) { throw problem }
        return checked
    }
}

extension SettingRow {
    /// Returns `value` in the form of this row's kind: one text is also a list of one, a
    /// text is also a secret, a key or the number that it writes.
    ///
    /// - Throws: ``SettingsError`` for a value of another form.
    func accepted(_ value: SettingValue) throws(SettingsError) -> SettingValue {
        switch (kind, value) {
        case (.choice(let words), .text(let word)):
            let word = synonyms[word] ?? word
            guard words.contains(where: { $0.isExactly(word) }) else {
                throw error("\(word) is not known", "it is one of \(words.joined(separator: ", "))")
            }
            return .text(word)
        case (.integer, .text(let digits)):
            guard let number = Int(digits) else { break }
            return try accepted(.integer(number))
        case (.integer(let range), .integer(let number)):
            guard range.contains(number) else {
                throw error(
                    "\(number) is out of range",
                    "it is from \(range.lowerBound) to "
                        + "\(range.upperBound)")
            }
            return value
        case (.text, .text), (.secret, .text), (.certificates, .text), (.senderKey, .text),
            (.texts, .texts), (.networks, .texts), (.secrets, .secrets), (.publicKeys, .keys),
            (.signatureScheme, .scheme), (.fieldMapping, .fields):
            return value
        case (.texts, .text(let text)), (.networks, .text(let text)): return .texts([text])
        case (.secrets, .text(let text)): return .secrets([Array(text.utf8)])
        case (.secrets, .texts(let texts)): return .secrets(texts.map { Array($0.utf8) })
        case (.publicKeys, .text(let text)): return .keys([VersionedKey(version: 1, text: text)])
        case (.publicKeys, .texts(let texts)):
            return .keys(
                texts.enumerated().map { VersionedKey(version: $0.offset + 1, text: $0.element) })
        default: break
        }
        throw error("the value has another form", "it is \(form)")
    }

    private func error(_ message: String, _ remedy: String) -> SettingsError {
        SettingsError(key: key, message: message, remedy: remedy)
    }

    /// The form of a value, for a message.
    private var form: String {
        switch kind {
        case .text, .secret, .choice, .senderKey: "a text"
        case .certificates: "the text of a PEM file"
        case .integer: "a whole number"
        case .texts, .networks: "a list of texts"
        case .secrets: "a list of secrets"
        case .publicKeys: "a list of keys"
        case .signatureScheme: "an HMACScheme"
        case .fieldMapping: "a FieldMapping"
        }
    }
}
