import Platform
import Providers

/// Reads the settings of one provider from a section of the configuration, row by row of the
/// provider's table.
struct SettingsReader {
    let section: MappingReader
    let side: SettingRow.Side

    /// The source of each secret, with the key that names it, in the order of the table.
    private(set) var sources: [(key: String, source: SecretSource)] = []

    /// The networks of a row of kind `networks`.
    private(set) var networks: [IPNetwork] = []

    init(_ section: MappingReader, side: SettingRow.Side) {
        self.section = section
        self.side = side
    }

    /// The rows of all systems by key. A key of another system is read, too, so that it is reported
    /// as such and not as unknown.
    private func rows(of descriptor: ProviderDescriptor?) -> [SettingRow] {
        var rows = descriptor?.rows(side) ?? []
        for row in section.reading.providers.list.flatMap({ $0.rows(side) })
        where !rows.contains(where: { $0.key == row.key }) {
            rows.append(row)
        }
        return rows
    }

    /// Reads every setting of `descriptor`, or of all systems where it is nil.
    mutating func read(_ descriptor: ProviderDescriptor?, into settings: inout EndpointSettings) {
        let own = descriptor?.keys(side)
        for row in rows(of: descriptor) {
            guard let place = section.optional(row.key) else { continue }
            let value = read(row, place)
            if own?.contains(row.key) ?? true { settings[row.key, side] = value }
        }
    }

    /// Reports each setting that belongs to other systems only.
    ///
    /// - Parameter subject: The reader of the settings, as in `an inquiry of NAME`.
    func refuseForeign(
        _ descriptor: ProviderDescriptor, subject: String, others: [String] = []
    ) {
        let own = descriptor.keys(side)
        for row in rows(of: descriptor)
        where section.contains(row.key) && !own.contains(row.key) {
            section.mistake(
                row.key, "\(descriptor.name) has no such setting",
                "remove it; \(subject) reads "
                    + (own.sorted() + others).joined(separator: ", "))
        }
    }

    private mutating func read(_ row: SettingRow, _ place: ValueReader) -> SettingValue? {
        switch row.kind {
        case .text: place.filledText().map { .text($0) }
        case .choice(let words):
            place.word(of: words, or: row.synonyms).map { .text($0) }
        case .integer(let range): place.integer(in: range).map { .integer($0) }
        case .texts: place.sequence().map { .texts($0.compactMap { $0.filledText() }) }
        case .secret: credential(row.key, place).map { .text($0) }
        case .secrets(let form): secrets(row.key, form, place)
        case .publicKeys(let name):
            place.sequence().map { list in
                .keys(
                    list.enumerated().compactMap { $1.publicKey(by: name, number: $0 + 1) })
            }
        case .networks: allowedNetworks(place)
        case .signatureScheme: place.hmacScheme.map { .scheme($0) }
        case .fieldMapping: place.fieldMapping.map { .fields($0) }
        case .certificates: place.certificates().map { .text($0) }
        case .senderKey: nil
        }
    }

    private mutating func secrets(
        _ key: String, _ form: SettingRow.SecretForm, _ place: ValueReader
    ) -> SettingValue? {
        guard let values = place.sequence() else { return nil }
        let secrets = values.compactMap {
            form == .keyPair ? $0.keyPair() : $0.reference(.secret)
        }
        sources += secrets.map { (key, $0.source) }
        return .secrets(secrets.map(\.bytes))
    }

    private mutating func credential(_ key: String, _ place: ValueReader) -> String? {
        guard let secret = place.reference(.secret) else { return nil }
        sources.append((key, secret.source))
        guard let text = String(validating: secret.bytes, as: UTF8.self) else {
            place.mistake("is not UTF-8 text", "give the text that the provider shows")
            return nil
        }
        return text
    }

    /// Reads `{allow: […]}`. At least one network is required.
    private mutating func allowedNetworks(_ value: ValueReader) -> SettingValue? {
        guard let section = value.mapping() else { return nil }
        let remedy = "write the networks that the provider sends from: `allow: [203.0.113.0/24]`"
        let place = section.required("allow", remedy)
        networks = place?.networks() ?? []
        if let place, networks.isEmpty { place.mistake("is empty", remedy) }
        section.finish()
        return .texts(networks.map(\.description))
    }
}

extension ValueReader {
    /// One of `words`, or the one that a synonym means.
    fileprivate func word(of words: [String], or synonyms: [String: String]) -> String? {
        guard let word = text() else { return nil }
        if let meant = synonyms[word] { return meant }
        if words.contains(where: { $0.utf8.elementsEqual(word.utf8) }) { return word }
        mistake("\(quoted(word)) is not known", Suggestion.remedy(for: word, among: words))
        return nil
    }

    /// Reads the PEM file at this path.
    fileprivate func certificates() -> String? {
        guard let path = path() else { return nil }
        do throws(FileContents.Problem) {
            let contents = try FileContents(path: reading.readable(path), bytesMax: 1 << 20)
            return String(decoding: contents.bytes, as: UTF8.self)
        } catch {
            mistake("\(path) \(error.clause)", error.remedy)
            return nil
        }
    }

    /// `{publicKey, privateKey}`, or a reference to the text `publicKey|privateKey`.
    fileprivate func keyPair() -> Referenced? {
        guard case .mapping = node, let pair = mapping(),
            pair.contains("publicKey") || pair.contains("privateKey")
        else { return reference(.secret) }
        let publicKey = pair.required("publicKey", "write the public key that goes with it")?
            .filledText()
        let privateKey = pair.required(
            "privateKey", "write `privateKey: {file: secrets/provider}`")?.reference(.secret)
        pair.finish()
        guard let publicKey, var secret = privateKey else { return nil }
        secret.bytes = Array("\(publicKey)|".utf8) + secret.bytes
        return secret
    }

    /// `{version, publicKey}`, `{serial, publicKey}`, `{serial, certificate}`, or the key alone.
    ///
    /// - Parameter number: The key's place in the list, from 1.
    fileprivate func publicKey(by name: SettingRow.KeyName, number: Int) -> VersionedKey? {
        if name == .unnamed {
            return reference(.isPublic).map {
                VersionedKey(version: number, text: String(decoding: $0.bytes, as: UTF8.self))
            }
        }
        guard let key = mapping() else { return nil }
        let version: Int?
        var serial: String? = ""
        var member = "publicKey"
        if name == .version {
            version = key.required(
                "version", "write the version that the provider shows: `version: 1`")?
                .integer(in: 0...1_000_000)
        } else {
            version = number
            serial = key.required(
                "serial", "write the serial number or id that the provider shows: `serial: …`")?
                .filledText()
            if key.contains("certificate") { member = "certificate" }
        }
        let place = key.required(member, "write `\(member): {file: keys/provider.pem}`")
        let text = place?.reference(.isPublic)
        key.finish()
        guard let version, let serial, let text else { return nil }
        return VersionedKey(
            version: version, serial: serial, text: String(decoding: text.bytes, as: UTF8.self))
    }
}
