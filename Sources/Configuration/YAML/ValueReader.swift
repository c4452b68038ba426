import Yams

/// One value of the configuration with its place. Each reader returns nil after it has reported
/// what is wrong.
struct ValueReader {
    let node: Node
    /// As people write it: `endpoints[0].keys[1].publicKey`.
    let key: String
    /// The same without positions: `endpoints[].keys[].publicKey`.
    let schema: String
    let reading: DecodingContext

    /// - Parameter remedy: Looked for only where it is told.
    func mistake(_ problem: String, _ remedy: @autoclosure () -> String) {
        reading.report(
            at: node.mark, key: key, problem: problem,
            remedy: reading.hasToldEnough ? "" : remedy())
    }

    func warning(_ problem: String, _ remedy: String) {
        reading.report(.warning, at: node.mark, key: key, problem: problem, remedy: remedy)
    }

    /// The value is empty, `~` or `null`.
    var isNull: Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// Keys and values. A section whose lines are all commented out is an empty one.
    func mapping() -> MappingReader? {
        if isNull { return MappingReader(.init([]), mark: node.mark, at: self) }
        guard case .mapping(let mapping) = node else {
            mistake("is \(kind), not keys with values", "write `\(lastName): {key: value}`")
            return nil
        }
        return MappingReader(mapping, mark: node.mark, at: self)
    }

    func sequence() -> [ValueReader]? {
        if isNull { return [] }
        guard case .sequence(let sequence) = node else {
            mistake("is \(kind), not a list", "write `\(lastName): [value, …]`")
            return nil
        }
        return sequence.enumerated().map { index, node in
            ValueReader(
                node: node, key: "\(key)[\(index)]", schema: "\(schema)[]", reading: reading)
        }
    }

    /// The text of a scalar exactly as written: `0115` and `no` stay what they are, because the
    /// reader knows that text is meant.
    func text() -> String? {
        guard case .scalar(let scalar) = node, !isNull else {
            mistake("is \(kind), not text", "write `\(lastName): text`")
            return nil
        }
        // The kernel ends every path, name and address there: what is checked would not be what
        // is used.
        guard !scalar.string.utf8.contains(0) else {
            mistake("holds a NUL character", "remove it")
            return nil
        }
        return scalar.string
    }

    /// Text that is not empty.
    func filledText() -> String? {
        guard let text = text() else { return nil }
        guard !text.isEmpty else {
            mistake("is empty", "write a value or leave the key out")
            return nil
        }
        return text
    }

    /// A decimal whole number without quotes. YAML 1.1 would read `010` as eight and `1:30` as
    /// ninety (a surprise in a limit), so only plain digits count.
    func integer(in range: ClosedRange<Int>) -> Int? {
        let remedy = "write a number from \(range.lowerBound) to \(range.upperBound)"
        guard case .scalar(let scalar) = node, scalar.style == .plain, !isNull else {
            mistake("is \(kind), not a whole number", remedy)
            return nil
        }
        let digits = scalar.string.utf8.drop { $0 == UInt8(ascii: "-") }
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.count == 1 || digits.first != 0x30
        else {
            mistake("\(quoted(scalar.string)) is not a whole number", remedy)
            return nil
        }
        guard let value = Int(scalar.string), range.contains(value) else {
            mistake("\(quoted(scalar.string)) is out of range", remedy)
            return nil
        }
        return value
    }

    /// One of a few words.
    func choice<Choice>(_ type: Choice.Type = Choice.self) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let word = text() else { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        mistake("\(quoted(word)) is not known", Suggestion.remedy(for: word, among: words))
        return nil
    }

    /// A path, absolute or counted from the configuration's folder.
    func path() -> String? {
        filledText().map(reading.absolute)
    }

    /// The same for a file that is only read: where that is possible.
    func readablePath() -> String? { path().map(reading.readable) }

    /// The kind of value, for people; never the value itself.
    var kind: String {
        switch node {
        case .scalar: isNull ? "empty" : "a single value"
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }

    private var lastName: Substring {
        let name = key.split(separator: ".").last ?? "key"
        return name.prefix { $0 != "[" }
    }
}

/// A value in a message: short, on one line, without control characters.
func quoted(_ value: String) -> String {
    let shown = value.unicodeScalars.prefix(60).map { scalar in
        scalar.value < 0x20 || scalar.value == 0x7F ? "\u{fffd}" : Character(scalar)
    }
    return "“\(String(shown))\(value.unicodeScalars.count > 60 ? "…" : "")”"
}

extension ValueReader {
    /// The value at a path below this one, as in `keys[1].publicKey`, or as far down as the file
    /// goes.
    func value(at path: String) -> ValueReader {
        var place = self
        for part in path.split(whereSeparator: { $0 == "." || $0 == "[" }) {
            let next: (node: Node, key: String, schema: String)?
            if part.hasSuffix("]"), let index = Int(part.dropLast()) {
                let nodes = place.node.sequence.map(Array.init) ?? []
                next =
                    nodes.indices.contains(index)
                    ? (nodes[index], "\(place.key)[\(index)]", "\(place.schema)[]") : nil
            } else {
                let pair = place.node.mapping?.first { $0.key.scalar?.string == String(part) }
                next = pair.map { pair in
                    place.key.isEmpty
                        ? (pair.value, String(part), String(part))
                        : (pair.value, "\(place.key).\(part)", "\(place.schema).\(part)")
                }
            }
            guard let next else { return place }
            place = ValueReader(
                node: next.node, key: next.key, schema: next.schema, reading: reading)
        }
        return place
    }
}
