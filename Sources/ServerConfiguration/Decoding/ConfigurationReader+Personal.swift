import Platform
import Redaction
import Sealing

extension ConfigurationReader {
    /// Fewest bytes of a key: with a shorter one, values could be found by trying.
    private static let hashKeyBytesMin = 16

    /// Reads `personal`.
    func personal() -> PersonalConfiguration {
        var personal = PersonalConfiguration()
        guard let section = root.optional("personal")?.mapping() else { return personal }
        if let place = section.optional("hashKey"), let found = place.reference(.secret) {
            if found.bytes.count < Self.hashKeyBytesMin {
                place.mistake(
                    "the key has \(found.bytes.count) bytes",
                    "write at least "
                        + "\(Self.hashKeyBytesMin): `openssl rand -hex 32 > redaction.key`")
            }
            personal.hashKey = found.bytes
            personal.hashKeySource = found.source
        }
        if let place = section.optional("masterKeys") { readMasterKeys(place, &personal) }
        if let place = section.optional("retainDays"), let days = place.integer(in: 0...36_500) {
            personal.retainDays = days
            if days > 0, section.optional("masterKeys") == nil {
                place.mistake(
                    "needs `masterKeys`",
                    "only records that are sealed can be erased (config/privacy.md)")
            }
        }
        section.finish()
        return personal
    }

    private func readMasterKeys(_ place: ValueReader, _ personal: inout PersonalConfiguration) {
        guard let values = place.sequence() else { return }
        guard !values.isEmpty else {
            return place.mistake(
                "is empty", "write a key, or leave `masterKeys` out to store records as they are")
        }
        for value in values {
            guard let section = value.mapping() else { continue }
            let name = section.required("name", "write `name: first`")
            let key = section.required("key", "write `key: {file: secrets/master}`")
            if let (name, text) = name.flatMap({ place in place.filledText().map { (place, $0) } }),
                let (key, found, source) = key.flatMap({ place in
                    place.masterKeyReference().map { (place, $0.bytes, $0.source) }
                })
            {
                add(name, text, key, found, source, to: &personal)
            }
            section.finish()
        }
    }

    private func add(
        _ name: ValueReader, _ text: String, _ key: ValueReader, _ found: [UInt8], _ source: String,
        to personal: inout PersonalConfiguration
    ) {
        guard MasterKey.isName(text) else {
            return name.mistake(
                "is not a name", "use letters, digits, `-`, `_` and `.`, at most 64 characters")
        }
        guard !personal.masterKeys.contains(where: { $0.name == text }) else {
            return name.mistake("is the name of two keys", "give each key a name of its own")
        }
        guard let bytes = MasterKey.key(from: found),
            let master = MasterKey(name: text, key: bytes)
        else {
            return key.mistake(
                "is no key of 32 bytes in hexadecimal digits or Base64",
                "make one: `openssl rand -hex 32 > master.key`")
        }
        personal.masterKeys.append(master)
        personal.masterKeySources.append(source)
    }
}

extension ValueReader {
    /// Seconds in which a command must print a key.
    private static var commandSecondsMax: Int { 10 }
    private static var commandBytesMax: Int { 4096 }

    /// Reads `{file: path}`, `{env: NAME}`, `{credential: NAME}` (of systemd) or
    /// `{command: [program, argument …]}`, which prints the key.
    fileprivate func masterKeyReference() -> (bytes: [UInt8], source: String)? {
        let remedy = "write {file: path}, {env: NAME}, {credential: NAME} or {command: [program]}"
        guard case .mapping = node, let section = mapping() else {
            mistake("is \(kind), not a reference", remedy)
            return nil
        }
        let credential = section.optional("credential")
        let command = section.optional("command")
        guard credential != nil || command != nil else {
            return reference(.secret).map { ($0.bytes, "\($0.source)") }
        }
        guard section.all.count == 1 else {
            mistake("has more than one source", remedy)
            return nil
        }
        if let credential { return credential.loadCredential() }
        return command?.loadOutput()
    }

    private func loadCredential() -> (bytes: [UInt8], source: String)? {
        guard let name = filledText() else { return nil }
        guard !name.contains("/"), let folder = reading.environment["CREDENTIALS_DIRECTORY"] else {
            mistake(
                "there is no credential \(quoted(name))",
                "write LoadCredential=\(name):/path in the unit; systemd then sets "
                    + "CREDENTIALS_DIRECTORY")
            return nil
        }
        do throws(FileContents.Problem) {
            let contents = try FileContents(
                path: "\(folder)/\(name)", bytesMax: Self.commandBytesMax)
            return (Self.withoutLineBreak(contents.bytes), "credential \(name)")
        } catch {
            mistake("\(folder)/\(name) \(error.clause)", error.remedy)
            return nil
        }
    }

    private func loadOutput(
        clock: any Clock = SystemClock()
    ) -> (bytes: [UInt8], source: String)? {
        guard let values = sequence() else { return nil }
        let words = values.compactMap { $0.filledText() }
        guard words.count == values.count else { return nil }
        guard let program = words.first, program.hasPrefix("/") else {
            mistake("does not begin with a path", "write [/usr/local/bin/fetch-key, argument]")
            return nil
        }
        let (printed, problem) = FedProgram(program, Array(words.dropFirst()), clock: clock)
            .output(bytesMax: Self.commandBytesMax, seconds: Self.commandSecondsMax)
        if let problem {
            mistake("the command failed: \(problem)", "run it by hand as the user of ipnd")
            return nil
        }
        return (Self.withoutLineBreak(printed), "command \(program)")
    }

    private static func withoutLineBreak(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }
}

extension ValueReader {
    /// Reads `redact`: a list of at least one rule.
    func redactionRules() -> [RedactionRule]? {
        guard let values = sequence() else { return nil }
        guard !values.isEmpty else {
            mistake("is empty", "list members such as /customer/email, or leave the key out")
            return nil
        }
        return values.compactMap { value in
            guard let text = value.filledText() else { return nil }
            do throws(RedactionRuleError) {
                return try RedactionRule(text)
            } catch {
                value.mistake(error.problem, error.remedy)
                return nil
            }
        }
    }
}
