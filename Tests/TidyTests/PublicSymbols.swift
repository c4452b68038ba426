import Foundation

/// The public declarations of a source file, in its order.
///
/// It reads lines, as the formatter writes them: a declaration is `public`, a requirement of a
/// public protocol, or a case of a public enumeration.
struct PublicSymbols {
    struct Symbol: Equatable {
        /// The names of the enclosing types and its own, with argument labels.
        let name: String
        /// The first sentence of its comment; empty where it has none.
        let sentence: String
        /// The line, counted from 1.
        let line: Int
        /// Whether it is a case of an enumeration, whose word may say enough.
        let isCase: Bool
    }

    private(set) var symbols: [Symbol] = []

    private struct Scope {
        let indentation: Int
        let name: String
        /// The kind of a public type whose members need no `public`.
        let open: String?
    }

    private static let kinds: Set<Substring> = [
        "struct", "enum", "protocol", "class", "extension", "actor",
    ]
    private static let introducers = [
        "struct", "enum", "protocol", "class", "extension", "actor", "typealias", "func", "var",
        "let", "init", "init?", "subscript", "init<",
    ]
    private static let modifiers: Set<Substring> = [
        "static", "mutating", "final", "indirect", "nonisolated", "public",
    ]

    init(_ lines: [Substring]) {
        var scopes: [Scope] = []
        for (index, line) in lines.enumerated() {
            let indentation = line.prefix { $0 == " " }.count
            let code = line.dropFirst(indentation)
            guard !code.isEmpty, !code.hasPrefix("//") else { continue }
            // The rest of a declaration that the formatter broke.
            guard code != "{", !code.hasPrefix("where "), !code.hasPrefix(")") else { continue }
            scopes.removeAll { $0.indentation >= indentation }
            let words = code.split(separator: " ").drop {
                $0.hasPrefix("@") || Self.modifiers.contains($0) || $0.hasSuffix("(set)")
                    || ["package", "private", "fileprivate", "internal"].contains($0)
            }
            guard let kind = words.first else { continue }
            let isPublic =
                code.split(separator: " ").prefix(3).contains("public")
                && Self.introducers.contains { kind == $0 || kind.hasPrefix("\($0)(") }
            let isMember =
                scopes.last.map { $0.open == "protocol" || ($0.open == "enum" && kind == "case") }
                ?? false
            let direct = scopes.last.map { indentation == $0.indentation + 4 } ?? true
            if isPublic || (isMember && direct) {
                let text = Self.declaration(lines, from: index)
                for name in Self.names(kind, text) {
                    let path = (scopes.map(\.name) + [name]).joined(separator: ".")
                    symbols.append(
                        Symbol(
                            name: path, sentence: Self.sentence(lines, above: index),
                            line: index + 1, isCase: kind == "case"))
                }
            }
            if Self.kinds.contains(kind), !code.hasSuffix("}"), let name = words.dropFirst().first {
                let bare = name.prefix { $0.isLetter || $0.isNumber || "._[]".contains($0) }
                scopes.append(
                    Scope(
                        indentation: indentation, name: String(bare),
                        open: isPublic ? String(kind) : nil))
            }
        }
    }

    /// The declaration up to its body, on one line.
    private static func declaration(_ lines: [Substring], from index: Int) -> String {
        var text = ""
        for line in lines[index...].prefix(20) {
            text += line.drop { $0 == " " } + " "
            let depth = text.reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) }
            if depth == 0 { break }
        }
        return text
    }

    private static func names(_ kind: Substring, _ text: String) -> [String] {
        switch kind {
        case "case":
            // `case a, b(Int) = 1`; commas in parentheses separate no cases.
            var depth = 0
            var names = [""]
            for character in text.drop(while: { $0 != " " }) {
                // A raw value in quotes may be any text.
                if character == "\"" { depth = depth == 0 ? 1 : 0 }
                if character == "(" { depth += 1 }
                if character == "," && depth == 0 { names.append("") }
                if depth == 0, character.isLetter || character.isNumber || "=`".contains(character)
                {
                    names[names.count - 1].append(character)
                }
                if character == ")" { depth -= 1 }
            }
            return names.map { String($0.prefix { $0 != "=" }) }
        case "init", "subscript": return ["\(kind)\(labels(text, after: String(kind)))"]
        case "func":
            let rest = text.components(after: "func ")
            let name = rest.prefix { $0 != "(" && !($0 == "<" && !rest.hasPrefix("<")) }
            return [name.filter { $0 != " " } + labels(rest, after: "")]
        default:
            if kind.hasPrefix("init") || kind.hasPrefix("subscript") {
                return [
                    (kind.hasPrefix("init") ? "init" : "subscript") + labels(text, after: "")
                ]
            }
            let rest = text.components(after: "\(kind) ")
            return [String(rest.prefix { $0.isLetter || $0.isNumber || "_`".contains($0) })]
        }
    }

    /// `(_:factsMax:)` of a parameter list.
    private static func labels(_ text: String, after name: String) -> String {
        guard let open = text.firstIndex(of: "(") else { return "" }
        var depth = 0
        var labels: [String] = []
        var label = ""
        var isLabel = true
        // The arrow of a function's type closes nothing, and a shift opens nothing.
        let plain = text[open...].replacing("->", with: "  ").replacing("<<", with: "  ")
        for character in plain {
            switch character {
            case "(", "[", "<": depth += 1
            case ")", "]", ">":
                depth -= 1
                if depth == 0 {
                    if !label.isEmpty { labels.append(label) }
                    return "(" + labels.map { "\($0):" }.joined() + ")"
                }
            case ",":
                if depth == 1 {
                    labels.append(label)
                    (label, isLabel) = ("", true)
                }
            case " ": if !label.isEmpty { isLabel = false }
            case ":": isLabel = false
            default: if isLabel && depth == 1 { label.append(character) }
            }
        }
        return ""
    }

    /// The first sentence of the comment above a line.
    private static func sentence(_ lines: [Substring], above index: Int) -> String {
        var first = index
        while first > 0, lines[first - 1].drop(while: { $0 == " " }).hasPrefix("@") { first -= 1 }
        let end = first
        while first > 0, lines[first - 1].drop(while: { $0 == " " }).hasPrefix("///") { first -= 1 }
        let text = lines[first..<end].map { $0.drop { $0 == " " }.dropFirst(3).drop { $0 == " " } }
            .prefix { !$0.isEmpty }.joined(separator: " ")
        let stop = text.ranges(of: ". ").first { range in
            // No sentence ends in an abbreviation.
            !text[..<range.lowerBound].hasSuffix("e.g")
                && !text[..<range.lowerBound].hasSuffix("i.e")
        }
        return String(stop.map { text[..<$0.lowerBound] } ?? text[...]).trimmedStop
    }
}

extension String {
    fileprivate func components(after word: String) -> String {
        range(of: word).map { String(self[$0.upperBound...]) } ?? self
    }

    fileprivate var trimmedStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
