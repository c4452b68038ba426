import Bytes
import JSON

/// A layout of JSON text, which programs change when they parse and rewrite a body.
struct JSONLayout: Sendable, Equatable {
    enum Space: String, Sendable, CaseIterable {
        case compact
        /// `", "` and `": "`, as Python's json.dumps writes them.
        case spaced
        case twoSpaces = "indented by two"
        case fourSpaces = "indented by four"
    }

    enum Escapes: String, Sendable, CaseIterable {
        case none = "characters unescaped"
        case lowerHex = #"characters as \u00e9"#
        case upperHex = #"characters as \u00E9"#
    }

    var space = Space.compact
    var escapes = Escapes.none
    var escapesSlashes = false
    var sortsKeys = false

    /// All layouts.
    static let all: [JSONLayout] = Space.allCases.flatMap { space in
        Escapes.allCases.flatMap { escapes in
            [false, true].flatMap { slashes in
                [false, true].map { sorts in
                    JSONLayout(
                        space: space, escapes: escapes, escapesSlashes: slashes, sortsKeys: sorts)
                }
            }
        }
    }

    var detail: String {
        var words = [space.rawValue, escapes.rawValue]
        if escapesSlashes { words.append(#"slashes as \/"#) }
        if sortsKeys { words.append("keys sorted") }
        return words.joined(separator: ", ")
    }

    /// `value` in this layout; numbers keep their spelling.
    func write(_ value: JSONValue) -> [UInt8] {
        var text: [UInt8] = []
        append(value, depth: 0, to: &text)
        return text
    }

    private func append(_ value: JSONValue, depth: Int, to text: inout [UInt8]) {
        switch value.kind {
        case .object:
            var members = value.members.map { ($0.key, $0.value) }
            if sortsKeys { members.sort { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) } }
            appendList(members, "{", "}", depth, to: &text) { member, text in
                append(member.0, to: &text)
                text += (space == .compact ? ":" : ": ").utf8
                append(member.1, depth: depth + 1, to: &text)
            }
        case .array:
            appendList(Array(value.elements), "[", "]", depth, to: &text) { element, text in
                append(element, depth: depth + 1, to: &text)
            }
        case .string: append(value.string ?? "", to: &text)
        case .number, .boolean, .null: text += value.rawBytes
        }
    }

    private func appendList<Element>(
        _ elements: [Element], _ open: String, _ close: String, _ depth: Int,
        to text: inout [UInt8], _ body: (Element, inout [UInt8]) -> Void
    ) {
        text += open.utf8
        for (index, element) in elements.enumerated() {
            if index > 0 { text += (space == .spaced ? ", " : ",").utf8 }
            appendBreak(depth + 1, to: &text)
            body(element, &text)
        }
        if !elements.isEmpty { appendBreak(depth, to: &text) }
        text += close.utf8
    }

    private func appendBreak(_ depth: Int, to text: inout [UInt8]) {
        let width = space == .twoSpaces ? 2 : space == .fourSpaces ? 4 : 0
        guard width > 0 else { return }
        text.append(0x0A)
        text += [UInt8](repeating: 0x20, count: depth * width)
    }

    private func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += #"\""#.utf8
            case "\\": text += #"\\"#.utf8
            case "/" where escapesSlashes: text += #"\/"#.utf8
            case "\u{8}": text += #"\b"#.utf8
            case "\u{C}": text += #"\f"#.utf8
            case "\n": text += #"\n"#.utf8
            case "\r": text += #"\r"#.utf8
            case "\t": text += #"\t"#.utf8
            case _ where scalar.value < 0x20 || scalar.value > 0x7E && escapes != .none:
                for unit in String(scalar).utf16 { appendEscape(unit, to: &text) }
            default: text += String(scalar).utf8
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private func appendEscape(_ unit: UInt16, to text: inout [UInt8]) {
        let digits = String(unit, radix: 16, uppercase: escapes == .upperHex)
        text += #"\u"#.utf8
        text += String(repeating: "0", count: 4 - digits.count).utf8
        text += digits.utf8
    }
}

/// Changes to the values of a form, `name=value&name=value`.
enum FormText {
    /// The form with `change` applied to each value, or only to the value of `name`.
    static func changingValues(
        _ body: [UInt8], of name: String? = nil, _ change: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        let pairs = body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        return Array(
            pairs.map { pair -> [UInt8] in
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    name.map({ pair[..<equals].elementsEqual($0.utf8) }) ?? true
                else { return Array(pair) }
                return Array(pair[...equals]) + change(Array(pair[(equals + 1)...]))
            }.joined(separator: [UInt8(ascii: "&")]))
    }

    static func encoded(_ value: [UInt8]) -> [UInt8] { Array(PercentEncoding.encode(value).utf8) }

    static func decoded(_ value: [UInt8]) -> [UInt8] {
        PercentEncoding.decode(value[...]) ?? value
    }
}
