import Redaction

extension ConfigurationReader {
    /// Fewest bytes of a key: with a shorter one, values could be found by trying.
    private static let hashKeyBytesMin = 16

    /// Reads `personal`.
    func personal() -> PersonalConfiguration {
        var personal = PersonalConfiguration()
        guard let section = root.optional("personal")?.mapping() else { return personal }
        if let place = section.required("hashKey", "write `hashKey: {file: redaction.key}`"),
            let found = place.reference(.secret)
        {
            if found.bytes.count < Self.hashKeyBytesMin {
                place.mistake(
                    "the key has \(found.bytes.count) bytes",
                    "write at least "
                        + "\(Self.hashKeyBytesMin): `openssl rand -hex 32 > redaction.key`")
            }
            personal.hashKey = found.bytes
            personal.hashKeySource = found.source
        }
        section.finish()
        return personal
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
