import Bytes
import Providers

/// What a variation changes, part by part. Two ways to the same change are one cause: a key that
/// lies in a file and is another endpoint's too, a path that one proxy strips and another adds.
struct Change: Equatable {
    /// What each changed part is then.
    private var parts: [String: [[UInt8]]] = [:]

    init(_ variation: Variation, of suspect: Suspect) {
        let (before, after) = (suspect.delivery, variation.delivery)
        note("path", [Array(before.path)], [Array(after.path)])
        note("query", [Array(before.query ?? [])], [Array(after.query ?? [])])
        note("headers", Self.lines(before.headers), Self.lines(after.headers))
        note("body", [before.body], [after.body])
        for row in suspect.system.rows(.endpoint) where row.isCredential {
            note(
                row.key, Self.bytes(suspect.settings[row.key]),
                Self.bytes(variation.settings[row.key]))
        }
        if let system = variation.system, system.name != suspect.system.name {
            parts["system"] = [Array(system.name.utf8)]
        }
        // A scheme's settings: its words tell them apart.
        if parts.isEmpty { parts["settings"] = [Array(variation.detail.utf8)] }
    }

    /// How many parts are changed.
    var count: Int { parts.count }

    /// Whether this changes everything that `other` does in the same way.
    func contains(_ other: Change) -> Bool { other.parts.allSatisfy { parts[$0] == $1 } }

    private mutating func note(_ part: String, _ before: [[UInt8]], _ after: [[UInt8]]) {
        if before != after { parts[part] = after }
    }

    private static func lines(_ headers: [Header]) -> [[UInt8]] {
        headers.map { Array($0.name) + [0x3A] + Array($0.value) }
    }

    /// The keys themselves: neither their versions nor how their files are laid out.
    private static func bytes(_ value: SettingValue?) -> [[UInt8]] {
        switch value {
        case .text(let text): [Array(text.utf8)]
        case .texts(let texts): texts.map { Array($0.utf8) }
        case .secrets(let secrets): secrets
        case .keys(let keys):
            keys.map { key in
                key.text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
                    .flatMap { $0.utf8.filter { $0 > 0x20 } }
            }
        default: [[]]
        }
    }
}
