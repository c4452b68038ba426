/// A YAML value to be written into a configuration.
package indirect enum YAMLPiece: Sendable, Equatable {
    /// A text, quoted where YAML would read it as something else.
    case text(String)
    case number(Int)
    case list([YAMLPiece])
    /// A mapping on one line, in braces.
    case flow([Member])
    /// A mapping with one line for each member.
    case block([Member])

    package struct Member: Sendable, Equatable {
        let key: String
        let value: YAMLPiece

        package init(_ key: String, _ value: YAMLPiece) {
            self.key = key
            self.value = value
        }
    }

    /// The value on one line.
    var flow: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): "\(number)"
        case .list(let items): "[\(items.map(\.flow).joined(separator: ", "))]"
        case .flow(let members), .block(let members): Self.braces(members)
        }
    }

    private static func braces(_ members: [Member]) -> String {
        let texts = members.map { "\(quoted($0.key)): \($0.value.flow)" }
        return "{\(texts.joined(separator: ", "))}"
    }

    /// The lines of a member; the first one is not indented.
    static func lines(_ member: Member, indent: String) -> [String] {
        let key = quoted(member.key)
        guard case .block(let members) = member.value else {
            return ["\(key): \(member.value.flow)"]
        }
        return ["\(key):"]
            + members.flatMap { lines($0, indent: "\(indent)  ").map { "  \($0)" } }
    }

    /// Returns the text without quotes where every version of YAML reads it as this text, otherwise
    /// in quotes.
    static func quoted(_ text: String) -> String {
        let words = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        let isPlain =
            !text.isEmpty && !words.contains(text.lowercased())
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: "/"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        let beginsWell = text.utf8.first.map {
            $0 == UInt8(ascii: "/") || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A)
        }
        if isPlain, beginsWell == true { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
