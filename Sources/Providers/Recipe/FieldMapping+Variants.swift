import JSON
import Payments

extension FieldMapping {
    /// The fields by which `body` is read: the first variant that fits, else these; with the
    /// currency fixed where the body writes it in small letters (`usd`), as several systems do.
    func chosen(for body: [UInt8]) -> FieldMapping {
        guard !variants.isEmpty || hasCurrencyPointer,
            let root = try? JSONDocument(parsing: body).root
        else { return self }
        let variant = variants.first { variant in
            variant.conditions.allSatisfy { condition in
                guard case .isOneOf(let words) = condition.test else { return false }
                let value = root.at(pointer: condition.subject.pointerText)
                return value?.wordOrNumber.map(words.contains) ?? false
            }
        }
        var chosen = variant?.fields ?? self
        if case .pointer(let pointer) = chosen.currency,
            let code = root.at(pointer: pointer)?.string, Currency(code) == nil,
            code == code.lowercased(), Currency(listed: code.uppercased()) != nil
        {
            chosen.currency = .text(code.uppercased())
        }
        return chosen
    }

    private var hasCurrencyPointer: Bool {
        if case .pointer = currency { true } else { false }
    }

    /// Where a sample of `type` is written: the fields that know a word for it, and the
    /// variant's mark.
    func sampleFields(
        _ type: EventType
    ) -> (fields: FieldMapping, mark: (pointer: String, word: String)?)? {
        if statuses.values.contains(type) { return (self, nil) }
        for variant in variants {
            guard variant.fields.statuses.values.contains(type),
                let condition = variant.conditions.first,
                case .isOneOf(let words) = condition.test, let word = words.first
            else { continue }
            return (variant.fields, (condition.subject.pointerText, word))
        }
        return nil
    }

    /// - Throws: ``SettingsError`` for a variant that no body could choose, or whose fields could
    ///   not work.
    func checkVariants() throws(SettingsError) {
        for (index, variant) in variants.enumerated() {
            let key = "fields.variants[\(index)]"
            for condition in variant.conditions {
                if case .isOneOf(let words) = condition.test, words.isEmpty {
                    throw SettingsError(key: "\(key).is", message: "no word chooses it")
                }
                guard condition.subject.pointerText.hasPrefix("/") else {
                    throw SettingsError(
                        key: "\(key).when", message: "not a JSON pointer (RFC 6901)")
                }
            }
            do throws(SettingsError) { try variant.fields.check() } catch {
                throw SettingsError(
                    key: key + error.key.dropFirst("fields".count), message: error.message)
            }
        }
    }
}
