import Payments
import Providers

extension ValueReader {
    /// `fields:`, the places of the facts in a body and the meaning of the provider's words.
    var fieldMapping: FieldMapping? {
        guard let section = mapping() else { return nil }
        let status = section.required("status", "write the pointer to it: `status: /status`")?
            .source()
        var fields = FieldMapping(status: status ?? .pointer(""))
        section.readStatuses(into: &fields)
        section.readPlaces(into: &fields, isVariant: false)
        readVariants(section, into: &fields)
        section.finish()
        return status == nil ? nil : fields
    }

    private func readVariants(_ section: MappingReader, into fields: inout FieldMapping) {
        guard let values = section.optional("variants")?.sequence() else { return }
        var earlier: [(conditions: [Condition], key: String)] = []
        for value in values {
            guard let variant = value.variant(of: fields) else { continue }
            if let first = earlier.first(where: { variant.conditions.isCovered(by: $0.conditions) })
            {
                value.mistake(
                    "no body reaches this: \(first.key) takes every one that it would",
                    "put the narrower one first, or merge the two")
            }
            earlier.append((variant.conditions, value.key))
            fields.variants.append(variant)
        }
    }

    /// One of `variants:`; what it leaves out is as in `fields`.
    private func variant(of fields: FieldMapping) -> FieldMapping.Variant? {
        guard let section = mapping() else { return nil }
        let conditions = section.variantConditions()
        var own = fields
        own.variants = []
        // The elements are those of the fields around it, where there are any.
        own.each = nil
        section.optional("status")?.source().map { own.status = $0 }
        section.readStatuses(into: &own)
        section.readPlaces(into: &own, isVariant: true)
        readVariants(section, into: &own)
        section.finish()
        if fields.each != nil, own.each != nil {
            section.mistake(
                "each", "the fields around this are already one for each element",
                "keep one `each`")
        }
        return conditions.map { FieldMapping.Variant(conditions: $0, fields: own) }
    }
}

extension MappingReader {
    /// `when: /pointer` with `is: [word]`, or `when:` with a list of conditions.
    fileprivate func variantConditions() -> [Condition]? {
        let remedy = "write a pointer, `when: /data/object`, or conditions"
        guard let when = required("when", remedy) else {
            _ = optional("is")
            return nil
        }
        guard case .scalar = when.node else {
            return when.conditions()
        }
        let words = required("is", "list the values that select it: `is: [refund]`")?.words()
        guard let pointer = when.pointer(), let words else { return nil }
        return [Condition(.pointer(pointer), .isOneOf(words))]
    }

    fileprivate func readStatuses(into fields: inout FieldMapping) {
        guard let words = optional("statuses")?.mapping() else { return }
        fields.statuses = [:]
        fields.statusFlags = [:]
        fields.reversalKinds = [:]
        for (word, value) in words.all {
            guard let (type, flags, reversal) = value.meaning(of: word) else { continue }
            fields.reversalKinds[word] = reversal
            fields.statuses[word] = type
            if !flags.isEmpty { fields.statusFlags[word] = flags }
        }
    }

    /// The keys that a mapping and its variants have in common, but for the status.
    fileprivate func readPlaces(into fields: inout FieldMapping, isVariant: Bool) {
        if let place = optional("each") {
            place.pointer().map { fields.each = FieldMapping.FanOut($0) }
        }
        if let place = optional("eachMax"), let max = place.integer(in: 1...10_000) {
            fields.each?.max = max
            if !contains("each") {
                mistake("eachMax", "there is no `each`", "remove it")
            }
        }
        if let identity = optional("identity")?.sequence() {
            fields.identity = identity.compactMap { $0.source(allowsOptional: true) }
        }
        for (name, path) in Self.places {
            guard let place = optional(name) else { continue }
            if isVariant, place.isNone {
                fields[keyPath: path] = nil
            } else {
                place.source().map { fields[keyPath: path] = $0 }
            }
        }
        optional("currency").flatMap { $0.currencySource() }.map { fields.currency = $0 }
        optional("scope")?.choice().map { fields.scope = $0 }
        optional("amountForm")?.choice().map { fields.amountForm = $0 }
        optional("exponents").flatMap { $0.exponents() }.map { fields.exponents = $0 }
        optional("withoutAmount").flatMap { $0.bool() }.map { fields.withoutAmount = $0 }
        optional("occurredForm")?.choice().map { fields.occurredForm = $0 }
        optional("reason").flatMap { $0.reason() }.map { fields.reason = $0 }
        optional("test").flatMap { $0.conditions() }.map { fields.test = $0 }
        if let unsigned = optional("unsigned")?.sequence() {
            fields.unsigned = unsigned.compactMap { $0.source() }
        }
    }

    private static var places: [(String, WritableKeyPath<FieldMapping, Source?>)] {
        [
            ("reference", \.reference), ("transaction", \.transaction), ("action", \.action),
            ("alias", \.alias), ("amount", \.amount), ("refundedAtLeast", \.refundedAtLeast),
            ("occurred", \.occurred), ("method", \.method), ("agreement", \.agreement),
        ]
    }
}

extension ValueReader {
    /// Types that no word may have that is only begun, or every other one: a word that the provider
    /// adds would take money.
    private static var exact: [EventType] { [.paid, .captured] }

    /// The operations that can be undone.
    private enum Undone: String, CaseIterable {
        case operation, refund, dispute, authorization

        var kind: Reversal.Kind {
            switch self {
            case .operation: .operation
            case .refund: .refund
            case .dispute: .dispute
            case .authorization: .authorization
            }
        }
    }

    /// Reads the meaning of a word of `statuses`: a type of event, or `{is: TYPE, flags: [FLAG]}`,
    /// and `of:` for `reversed`, the kind of operation that it undoes.
    fileprivate func meaning(of word: String) -> (EventType, [Flag], Reversal.Kind?)? {
        let stars = word.utf8.filter { $0 == UInt8(ascii: "*") }.count
        if stars > 1 || (stars == 1 && !word.hasSuffix("*")) {
            mistake(
                "a `*` is not at the end of \(quoted(word))",
                "write the beginning of the word and one `*`: `\"payment.*\"`")
        }
        var type: EventType?
        var flags: [Flag] = []
        var undone: Undone?
        if case .mapping = node {
            guard let section = mapping() else { return nil }
            type = section.required("is", "write the type of event: `is: ignored`")?.choice()
            flags = section.optional("flags")?.sequence()?.compactMap { $0.choice() } ?? []
            undone = section.optional("of")?.choice()
            if undone != nil, type != nil, type != .reversed {
                section.mistake("of", "only `reversed` undoes something", "remove it")
            }
            section.finish()
        } else {
            type = choice()
        }
        guard let type else { return nil }
        if word.hasSuffix("*"), Self.exact.contains(type) {
            mistake(
                "every word that begins like this would be \(type.rawValue), new ones too",
                "list the words in full")
        }
        return (type, flags, undone?.kind)
    }

    /// `none`, with which a variant takes away what the fields around it have.
    fileprivate var isNone: Bool {
        if case .scalar(let scalar) = node { scalar.string == "none" } else { false }
    }

    /// A source, or the three letters that always apply.
    fileprivate func currencySource() -> Source? {
        guard case .scalar(let scalar) = node, !scalar.string.hasPrefix("/") else {
            return source()
        }
        guard let text = text() else { return nil }
        guard Currency(text) != nil else {
            mistake(
                "\(quoted(text)) is neither a JSON pointer nor a currency",
                "write /amount/currency, or the three capital letters that always apply")
            return nil
        }
        return .text(text)
    }

    /// Decimals by currency.
    private func decimals(_ code: String) -> Int? {
        guard Currency(listed: code) != nil else {
            mistake(
                "\(quoted(code)) is not a currency", "write three capital letters, such as ISK")
            return nil
        }
        return integer(in: 0...6)
    }

    fileprivate func exponents() -> [String: Int]? {
        guard let section = mapping() else { return nil }
        var exponents: [String: Int] = [:]
        for (code, value) in section.all {
            value.decimals(code).map { exponents[code] = $0 }
        }
        return exponents
    }

    fileprivate func reason() -> FieldMapping.ReasonSource? {
        guard let section = mapping() else { return nil }
        let code = section.optional("code")?.source()
        let message = section.optional("message")?.source()
        section.finish()
        return FieldMapping.ReasonSource(code: code, message: message)
    }
}

extension [Condition] {
    /// Whether every body that meets these conditions meets `others`, as far as their words say.
    fileprivate func isCovered(by others: [Condition]) -> Bool {
        others.allSatisfy { other in
            contains { own in
                guard own.subject == other.subject else { return false }
                return switch (own.test, other.test) {
                case (.isOneOf(let words), .isOneOf(let all)):
                    words.allSatisfy(all.contains)
                case (.isOneOf(let words), .startsWith(let beginnings)):
                    words.allSatisfy { word in beginnings.contains { word.hasPrefix($0) } }
                case (.isOneOf(let words), .isNoneOf(let others)):
                    !words.contains(where: others.contains)
                case (.isOneOf, .isPresent(true)): true
                default: own.test == other.test
                }
            }
        }
    }
}
