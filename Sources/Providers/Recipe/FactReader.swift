import JSON
import Payments

/// The result of reading a source.
enum Fact {
    /// Missing, `null` or an empty text.
    case absent
    /// There, but not of the form that is wanted.
    case unreadable
    case word(String)

    var word: String? {
        if case .word(let word) = self { word } else { nil }
    }
}

/// Reads the facts of one event: of a whole body, or of an element of it.
struct FactReader {
    /// Which values are read as words.
    enum Form {
        /// Texts that are a word (``JSON/JSONValue/word``), and numbers by their literal.
        case words
        /// The same, and `true` and `false`: some systems say `"paid": true`.
        case scalars
        /// Texts of any length, and numbers.
        case texts
    }

    let root: JSONValue
    let element: JSONValue

    /// The values of the headers that the mapping reads; nil for one that is absent or no word.
    let headers: [String?]

    func word(_ source: FactSource) -> String? { read(source).word }

    func read(_ source: FactSource, _ form: Form = .words) -> Fact {
        switch source {
        case .absent: return .absent
        case .element(let path): return Self.fact(path.value(in: element), form)
        case .root(let path): return Self.fact(path.value(in: root), form)
        case .text(let text): return .word(text)
        case .header(let place): return headers[place].map { .word($0) } ?? .absent
        case .first(let sources):
            for source in sources {
                let fact = read(source, form)
                if case .absent = fact { continue }
                return fact
            }
            return .absent
        case .join(let parts, let separator): return join(parts, separator, form)
        case .optional(let source):
            let fact = read(source, form)
            if case .absent = fact { return .word("") }
            return fact
        case .prefixed(let prefix, let source):
            guard case .word(let word) = read(source, form) else { return read(source, form) }
            return .word(word.utf8.starts(with: prefix.utf8) ? word : prefix + word)
        case .given(let conditions, let holds, let source):
            return conditions.allSatisfy(self.holds) == holds ? read(source, form) : .absent
        }
    }

    private func join(_ parts: [FactSource], _ separator: String, _ form: Form) -> Fact {
        var text = ""
        for (index, part) in parts.enumerated() {
            guard case .word(let word) = read(part, form) else { return read(part, form) }
            if index > 0 { text += separator }
            text += word
        }
        return form == .texts || text.isWord ? .word(text) : .unreadable
    }

    private static func fact(_ value: JSONValue?, _ form: Form) -> Fact {
        guard let value else { return .absent }
        switch value.kind {
        case .null: return .absent
        case .boolean:
            guard form == .scalars, let bool = value.bool else { return .unreadable }
            return .word(bool ? "true" : "false")
        case .string:
            if let word = form == .texts ? value.string : value.word, !word.isEmpty {
                return .word(word)
            }
            return value.utf8?.isEmpty == true ? .absent : .unreadable
        default: return value.wordOrNumber.map { .word($0) } ?? .unreadable
        }
    }

    // MARK: Conditions

    func holds(_ condition: FactCondition) -> Bool {
        switch condition.test {
        case .isPresent(let isPresent):
            if case .absent = read(condition.subject, .scalars) { return !isPresent }
            return isPresent
        case .words(let words, let isOneOf):
            let word = read(condition.subject, .scalars).word.map { ExactText($0) }
            return (word.map(words.contains) ?? false) == isOneOf
        case .beginnings(let texts):
            guard let word = read(condition.subject, .scalars).word else { return false }
            return texts.contains { word.utf8.starts(with: $0.utf8) }
        case .ends(let texts):
            guard let word = read(condition.subject, .scalars).word else { return false }
            return texts.contains { word.utf8.reversed().starts(with: $0.utf8.reversed()) }
        case .differsFrom(let other):
            guard let word = read(condition.subject, .scalars).word,
                let otherWord = read(other, .scalars).word
            else { return false }
            return !word.isExactly(otherWord)
        }
    }
}
