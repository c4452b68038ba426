import Bytes
import JSON

/// A JSON value that is being made, from the facts of an event and a recipe's constants.
indirect enum SampleTree: Equatable, JSONWritable {
    case text(String)
    case number(String)
    case bool(Bool)
    case null
    case list([SampleTree])
    case object([String: SampleTree])

    init(_ value: SampleValue) {
        self =
            switch value {
            case .text(let text): .text(text)
            case .number(let digits): .number(digits)
            case .bool(let bool): .bool(bool)
            case .null: .null
            case .list(let values): .list(values.map { SampleTree($0) })
            case .object(let members): .object(members.mapValues { SampleTree($0) })
            }
    }

    /// The value where `path` leads; nil where there is none.
    func value(at path: PointerPath) -> SampleTree? { value(at: path.texts[...]) }

    private func value(at names: ArraySlice<String>) -> SampleTree? {
        guard let name = names.first else { return self }
        switch self {
        case .object(let members): return members[name]?.value(at: names.dropFirst())
        case .list(let values):
            guard let place = Int(name), values.indices.contains(place) else { return nil }
            return values[place].value(at: names.dropFirst())
        default: return nil
        }
    }

    /// Puts `value` where `path` leads, making objects on the way, and an array where `0` leads
    /// into nothing.
    mutating func set(_ path: PointerPath, _ value: SampleTree) { set(path.texts[...], value) }

    private mutating func set(_ names: ArraySlice<String>, _ value: SampleTree) {
        guard let name = names.first else {
            self = value
            return
        }
        if case .list(var values) = self, let place = Int(name), place <= values.count {
            if place == values.count { values.append(.object([:])) }
            values[place].set(names.dropFirst(), value)
            self = .list(values)
            return
        }
        var members: [String: SampleTree] = [:]
        if case .object(let existing) = self { members = existing }
        if members.isEmpty, name == "0" {
            self = .list([])
            return set(names, value)
        }
        var member = members[name] ?? .object([:])
        member.set(names.dropFirst(), value)
        members[name] = member
        self = .object(members)
    }

    /// The bytes in the form of the provider's bodies. Members are sorted, so that the same event
    /// gives the same bytes.
    func bytes(_ form: Recipe.BodyForm) -> [UInt8] {
        guard form == .form, case .object(let members) = self else {
            var json = JSONWriter(reserving: 512)
            write(to: &json)
            return json.bytes
        }
        let fields = Self.sorted(members).map { name, value in
            "\(Self.encoded(name))=\(Self.encoded(value.word))"
        }
        return Array(fields.joined(separator: "&").utf8)
    }

    func write(to json: inout JSONWriter) {
        switch self {
        case .text(let text): json.string(text)
        case .number(let digits): json.raw(Array(digits.utf8)[...])
        case .bool(let bool): json.boolean(bool)
        case .null: json.null()
        case .list(let values): values.write(to: &json)
        case .object(let members):
            json.object { json in
                for (name, member) in Self.sorted(members) { json.member(name, member) }
            }
        }
    }

    /// The text of a single value; empty for others.
    var word: String {
        switch self {
        case .text(let text), .number(let text): text
        case .bool(let bool): bool ? "true" : "false"
        case .null, .list, .object: ""
        }
    }

    private static func sorted(
        _ members: [String: SampleTree]
    ) -> [(key: String, value: SampleTree)] {
        members.sorted { utf8Precedes($0.key, $1.key) }
    }

    private static func encoded(_ text: String) -> String {
        PercentEncoding.encode(Array(text.utf8))
    }
}

extension PointerPath {
    fileprivate var texts: [String] { names.map { String(decoding: $0, as: UTF8.self) } }
}
