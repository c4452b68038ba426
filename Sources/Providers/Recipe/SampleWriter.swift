import JSON
import Payments

/// Writes one event into a body by the fields that were chosen for it.
struct SampleWriter {
    let fields: FieldMapping
    let each: FieldMapping.FanOut?
    let conditions: [(condition: Condition, isInElement: Bool)]
    /// Whether the constants belong to each element and not to the whole body.
    let areConstantsOfElements: Bool
    let samples: RecipeSamples
    let settings: EndpointSettings

    /// One for each way to part the word among the places of a joined status.
    ///
    /// - Throws: ``SenderError/unrepresentableAmount``.
    func contents(
        _ event: SampleEvent, word: String
    ) throws(SenderError) -> [MappedSample.Content] {
        var draft = Draft(isFannedOut: each != nil, settings: settings)
        for constants in [samples.all, samples.types[event.type] ?? [:]] {
            for (pointer, value) in constants.sorted(by: { utf8Precedes($0.key, $1.key) }) {
                draft.put(
                    SampleTree(value),
                    areConstantsOfElements ? .pointer(pointer) : .root(pointer))
            }
        }
        for source in fields.identity {
            draft.put(
                SampleEvent.identifier(source.seed, event.actionID, word), source,
                prefix: samples.idPrefixes["identity"])
        }
        // A part of the identity may be the word that chooses these fields.
        for (condition, isInElement) in conditions { draft.meet(condition, isInElement) }
        draft.put(time: event.occurred.wholeSeconds, fields.occurredForm, fields.occurred)
        try put(event.money, &draft)
        draft.put(
            SampleEvent.identifier("alias", event.reference), fields.alias,
            prefix: samples.idPrefixes["alias"])
        draft.put(event.actionID, fields.action, prefix: samples.idPrefixes["action"])
        draft.put(
            event.transaction, fields.transaction, prefix: samples.idPrefixes["transaction"])
        draft.put(event.reference, fields.reference)
        return draft.putting(word: word, fields.status).map { $0.content(each) }
    }

    private func put(_ money: Money, _ draft: inout Draft) throws(SenderError) {
        guard let amount = fields.amount else { return }
        switch fields.amountForm {
        case .decimal: draft.put(amount: money.decimal, isNumber: false, amount)
        case .minor:
            var minor = money
            if let decimals = fields.exponents[money.currency.code] {
                guard let rescaled = money.scaled(from: money.currency.exponent, to: decimals)
                else {
                    throw .unrepresentableAmount
                }
                minor = rescaled
            }
            draft.put(amount: String(minor.minor), isNumber: true, amount)
        }
        switch fields.currency {
        case .text(let code): try check(code, money)
        case .setting(let key): if case .text(let code) = settings[key] { try check(code, money) }
        case let source?: draft.put(code: money.currency.code, source)
        case nil: break
        }
    }
}

extension SampleWriter {
    /// An amount in a currency that always applies can only be in that one.
    private func check(_ code: String, _ money: Money) throws(SenderError) {
        guard code == money.currency.code else { throw .unrepresentableAmount }
    }

    /// A body that is being written.
    private struct Draft {
        /// The whole body but for the array of elements.
        private var root = SampleTree.object([:])
        private var element = SampleTree.object([:])
        private var headers: [(name: String, value: String)] = []
        private let isFannedOut: Bool
        private let settings: EndpointSettings

        init(isFannedOut: Bool, settings: EndpointSettings) {
            self.isFannedOut = isFannedOut
            self.settings = settings
        }

        func content(_ each: FieldMapping.FanOut?) -> MappedSample.Content {
            var tree = isFannedOut ? root : element
            if let each, let path = PointerPath(each.pointer) { tree.set(path, .list([element])) }
            return MappedSample.Content(tree: tree, headers: headers)
        }

        // MARK: Values

        /// Puts a value where the source looks first.
        mutating func put(_ value: SampleTree, _ source: Source?) {
            switch place(source) {
            case .element(let path): element.set(path, value)
            case .root(let path): isFannedOut ? root.set(path, value) : element.set(path, value)
            case .header(let name):
                headers.removeAll { $0.name == name }
                headers.append((name, value.word))
            case nil: break
            }
        }

        /// Puts a text; as a number where a constant of the recipe is one there.
        mutating func put(_ text: String, _ source: Source?, prefix: String? = nil) {
            if case .number = constant(source) {
                put(.number(Self.digits(of: text)), source)
            } else {
                let prefix = prefix ?? ""
                put(.text(text.utf8.starts(with: prefix.utf8) ? text : prefix + text), source)
            }
        }

        mutating func put(amount: String, isNumber: Bool, _ source: Source) {
            let isNumber =
                switch constant(source) {
                case .number: true
                case .text: false
                default: isNumber
                }
            put(isNumber ? .number(amount) : .text(amount), source)
        }

        /// In small letters where a constant of the recipe is.
        mutating func put(code: String, _ source: Source) {
            let isSmall =
                if case .text(let text) = constant(source) { text == text.lowercased() } else {
                    false
                }
            put(.text(isSmall ? code.lowercased() : code), source)
        }

        mutating func put(time: Timestamp, _ form: TimeForm?, _ source: Source?) {
            let seconds = time.microseconds / 1_000_000
            switch form {
            case .seconds: put(.number(String(seconds)), source)
            case .milliseconds: put(.number(String(seconds * 1000)), source)
            case .iso8601: put(.text(time.rfc3339), source)
            case nil:
                if case .number = constant(source) {
                    put(.number(String(seconds)), source)
                } else {
                    put(.text(time.rfc3339), source)
                }
            }
        }

        /// The digits of a text that is a number, else some that follow from it.
        private static func digits(of text: String) -> String {
            let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) } && text.count < 16
            if isNumber, !text.isEmpty { return text }
            let hex = SampleEvent.identifier(text).prefix(12)
            return String(Int64(hex, radix: 16) ?? 1)
        }

        // MARK: Words and conditions

        /// The word, at the places where the status is read; several where it can be parted.
        func putting(word: String, _ source: Source) -> [Draft] {
            switch source {
            case .join(let parts, let separator):
                return Self.partitions(of: word, parts.count, separator).map { words in
                    zip(parts, words).reduce(self) { draft, next in
                        draft.putting(word: next.1, next.0).first ?? draft
                    }
                }
            case .optional(let source): return word.isEmpty ? [self] : putting(word: word, source)
            case .when(let conditions, let source):
                var draft = self
                for condition in conditions { draft.meet(condition, isFannedOut) }
                return draft.putting(word: word, source)
            case .unless(_, let source): return putting(word: word, source)
            case .first(let sources): return sources.flatMap { putting(word: word, $0) }
            default:
                var draft = self
                if case .bool = constant(source), word == "true" || word == "false" {
                    draft.put(.bool(word == "true"), source)
                } else {
                    draft.put(.text(word), source)
                }
                return [draft]
            }
        }

        /// All ways to part a word at its separators.
        private static func partitions(
            of word: String, _ count: Int, _ separator: String
        ) -> [[String]] {
            guard count > 1 else { return [[word]] }
            guard !separator.isEmpty else { return [] }
            return word.ranges(of: separator).flatMap { range in
                partitions(of: String(word[range.upperBound...]), count - 1, separator)
                    .map { [String(word[..<range.lowerBound])] + $0 }
            }
        }

        /// Writes what makes a condition hold, where something has to be written.
        mutating func meet(_ condition: Condition, _ isInElement: Bool) {
            let subject =
                if !isInElement, case .pointer(let pointer) = condition.subject {
                    Source.root(pointer)
                } else {
                    condition.subject
                }
            switch condition.test {
            case .isOneOf(let words):
                guard let word = words.first else { return }
                if let present = constant(subject), words.contains(present.word) { return }
                let isBool = word == "true" || word == "false"
                put(isBool ? .bool(word == "true") : .text(word), subject)
            case .isPresent(true): if constant(subject) == nil { put(.text("sample"), subject) }
            case .startsWith(let texts): texts.first.map { put(.text($0 + "sample"), subject) }
            case .endsWith(let texts): texts.first.map { put(.text("sample" + $0), subject) }
            case .differsFrom: put(.text("sample"), subject)
            case .isNoneOf, .isPresent(false): break
            }
        }

        // MARK: Places

        private enum Place {
            case element(PointerPath)
            case root(PointerPath)
            case header(String)
        }

        /// Where a source looks first; nil for a constant.
        private func place(_ source: Source?) -> Place? {
            switch source {
            case .pointer(let pointer)?: PointerPath(pointer).map(Place.element)
            case .root(let pointer)?: PointerPath(pointer).map(Place.root)
            case .header(let name)?: Place.header(name.lowercased())
            case .first(let sources)?, .join(let sources, _)?:
                sources.lazy.compactMap { place($0) }.first
            case .optional(let source)?, .prefixed(_, let source)?, .when(_, let source)?:
                place(source)
            case .unless(let conditions, let source)?:
                conditions.contains(where: hasHeader) ? nil : place(source)
            case .setting(let key)?:
                if case .texts(let pointers) = settings[key] {
                    pointers.first.flatMap { PointerPath($0) }.map(Place.element)
                } else {
                    nil
                }
            case .text?, nil: nil
            }
        }

        /// Whether the condition is that a header is there which is written already.
        private func hasHeader(_ condition: Condition) -> Bool {
            guard case .header(let name) = condition.subject, condition.test == .isPresent(true)
            else { return false }
            return headers.contains { $0.name == name.lowercased() }
        }

        private func constant(_ source: Source?) -> SampleTree? {
            switch place(source) {
            case .element(let path): element.value(at: path)
            case .root(let path): (isFannedOut ? root : element).value(at: path)
            case .header, nil: nil
            }
        }
    }
}

extension Source {
    /// A text that tells one part of an identity from another.
    fileprivate var seed: String {
        switch self {
        case .pointer(let pointer): pointer
        default: "\(self)"
        }
    }
}
