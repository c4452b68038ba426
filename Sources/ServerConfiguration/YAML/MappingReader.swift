import Yams

/// The keys of one mapping. A reader asks for every key that may occur and then calls ``finish()``,
/// which reports all others.
final class MappingReader {
    private struct Entry {
        let name: String
        let mark: Mark?
        let value: ValueReader
    }

    private let place: ValueReader
    private let mark: Mark?
    private let entries: [Entry]
    /// The index in ``entries`` of each name.
    private let places: [String: Int]
    private var known: [String] = []
    var reading: DecodingContext { place.reading }
    private var missing: [(names: [String], remedy: String)] = []

    init(_ mapping: Node.Mapping, mark: Mark?, at place: ValueReader) {
        self.place = place
        self.mark = mark
        let reading = place.reading
        var entries: [Entry] = []
        var places: [String: Int] = [:]
        var renamed: [RepeatedKey] = []
        for (keyNode, valueNode) in mapping {
            guard case .scalar(let scalar) = keyNode else {
                reading.report(
                    at: keyNode.mark, key: place.key, problem: "a key here is not a single word",
                    remedy: "write `key: value`")
                continue
            }
            let name = scalar.string
            if let repeated = reading.repeatedKeys[name] {
                renamed.append(repeated)
                continue
            }
            let key = place.key.isEmpty ? name : "\(place.key).\(name)"
            let schema = place.schema.isEmpty ? name : "\(place.schema).\(name)"
            // Yams compares keys with their types: `1` and `"1"` are the same key all the same.
            if let first = places[name], let mark = entries[first].mark {
                reading.reportRepeated(
                    RepeatedKey(name: name, first: mark), at: keyNode.mark, key: key)
                continue
            }
            for repeated in renamed where repeated.name == name {
                reading.reportRepeated(repeated, at: keyNode.mark, key: key)
            }
            places[name] = entries.count
            entries.append(
                Entry(
                    name: name, mark: keyNode.mark,
                    value: ValueReader(node: valueNode, key: key, schema: schema, reading: reading))
            )
        }
        self.entries = entries
        self.places = places
    }

    /// The value of a key that may be left out.
    func optional(_ name: String) -> ValueReader? {
        if !known.contains(name) {
            known.append(name)
            place.reading.noteKnown(place.schema.isEmpty ? name : "\(place.schema).\(name)")
        }
        return places[name].map { entries[$0].value }
    }

    /// The value of a required key. `remedy` says what to write.
    func required(_ name: String, _ remedy: String) -> ValueReader? {
        if let value = optional(name) { return value }
        missing.append(([name], remedy))
        return nil
    }

    /// Reports that one of these keys is required and none is given.
    func requireOne(of names: [String], _ remedy: String) { missing.append((names, remedy)) }

    /// Whether the key is in the file, whatever its value is.
    func contains(_ name: String) -> Bool { places[name] != nil }

    /// All keys with their values, for a mapping whose keys the user chooses.
    var all: [(name: String, value: ValueReader)] { entries.map { ($0.name, $0.value) } }

    /// Reports a mistake about a key itself.
    func mistake(_ name: String, _ problem: String, _ remedy: String) {
        let entry = places[name].map { entries[$0] }
        place.reading.report(
            at: entry?.mark ?? mark, key: place.key.isEmpty ? name : "\(place.key).\(name)",
            problem: problem, remedy: remedy)
    }

    /// Reports unknown keys and missing required ones. A key that is missing only because it is
    /// misspelt is one mistake and not two.
    func finish() {
        var misspelt: Set<String> = []
        let absent = known.filter { !contains($0) }
        for entry in entries where !known.contains(entry.name) {
            let nearest =
                place.reading.isFull
                ? nil
                : Suggestion.nearest(to: entry.name, among: absent)
                    ?? Suggestion.nearest(to: entry.name, among: known)
            if let nearest { misspelt.insert(nearest) }
            place.reading.report(
                at: entry.mark, key: entry.value.key, problem: "this key is unknown",
                remedy: nearest.map { "did you mean `\($0)`?" }
                    ?? "known here: \(known.joined(separator: ", "))")
        }
        for (names, remedy) in missing where misspelt.isDisjoint(with: names) {
            let name = names[0]
            place.reading.report(
                at: mark, key: place.key.isEmpty ? name : "\(place.key).\(name)",
                problem: "this key is missing", remedy: remedy)
        }
    }
}

/// A key that appears more than once in one mapping.
struct RepeatedKey {
    let name: String
    /// The place of its first appearance.
    let first: Mark
}
