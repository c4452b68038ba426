import Yams

/// One value of the configuration and its place. Each method that reads it returns nil after
/// reporting a mistake.
struct ValueReader {
    let node: Node
    /// The path with positions: `endpoints[0].keys[1].publicKey`.
    let key: String
    /// The path without positions: `endpoints[].keys[].publicKey`.
    let schema: String
    let reading: DecodingContext

    /// Reports a mistake.
    ///
    /// - Parameter remedy: The remedy; evaluated only if the mistake is listed.
    func mistake(_ problem: String, _ remedy: @autoclosure () -> String) {
        reading.report(
            at: node.mark, key: key, problem: problem,
            remedy: reading.isFull ? "" : remedy())
    }

    /// The path of a key below this value.
    func key(_ name: String) -> String { key.isEmpty ? name : "\(key).\(name)" }

    func warning(_ problem: String, _ remedy: String) {
        reading.report(.warning, at: node.mark, key: key, problem: problem, remedy: remedy)
    }

    /// Whether the value is empty, `~` or `null`.
    var isNull: Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// Reads keys and values. A section whose lines are all commented out is an empty one.
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

    /// Reads the text of a scalar exactly as written: `0115` and `no` are not converted, because
    /// the setting is a text.
    func text() -> String? {
        guard case .scalar(let scalar) = node, !isNull else {
            mistake("is \(kind), not text", "write `\(lastName): text`")
            return nil
        }
        // The kernel ends paths, names and addresses at a NUL, so the value in use would not be the
        // value that was checked.
        guard !scalar.string.utf8.contains(0) else {
            mistake("holds a NUL character", "remove it")
            return nil
        }
        return scalar.string
    }

    /// Reads text that is not empty.
    func filledText() -> String? {
        guard let text = text() else { return nil }
        guard !text.isEmpty else {
            mistake("is empty", "write a value or leave the key out")
            return nil
        }
        return text
    }

    /// Reads a decimal whole number without quotes. YAML 1.1 reads `010` as eight and `1:30` as
    /// ninety, which is surprising in a limit, so only plain digits are accepted.
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

    /// Reads one of a few words.
    func choice<Choice>(_ type: Choice.Type = Choice.self) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let word = text() else { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        mistake("\(quoted(word)) is not known", Suggestion.remedy(for: word, among: words))
        return nil
    }

    /// Reads a path, which is absolute or starts at the configuration's folder.
    func path() -> String? {
        filledText().map(reading.absolute)
    }

    /// Reads the path of a file that is only read, and returns where it can be read.
    func readablePath() -> String? { path().map(reading.readable) }

    /// The kind of the value, for messages; never the value itself.
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

/// Quotes a value for a message: short, on one line, without control characters.
func quoted(_ value: String) -> String {
    let shown = value.unicodeScalars.prefix(60).map { scalar in
        scalar.value < 0x20 || scalar.value == 0x7F ? "\u{fffd}" : Character(scalar)
    }
    return "“\(String(shown))\(value.unicodeScalars.count > 60 ? "…" : "")”"
}

extension ValueReader {
    /// The value at a path below this one, as in `keys[1].publicKey`, or the last value on the way
    /// that exists.
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
