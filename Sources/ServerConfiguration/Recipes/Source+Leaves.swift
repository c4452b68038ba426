import Providers

extension Source {
    /// The places that it reads, those of its conditions too.
    var leaves: [Source] {
        switch self {
        case .pointer, .root, .text, .header, .setting: [self]
        case .first(let sources): sources.flatMap(\.leaves)
        case .join(let sources, with: _): sources.flatMap(\.leaves)
        case .optional(let source): source.leaves
        case .prefixed(_, of: let source): source.leaves
        case .when(let conditions, let source), .unless(let conditions, let source):
            conditions.flatMap(\.leaves) + source.leaves
        }
    }
}

extension Condition {
    var leaves: [Source] {
        guard case .differsFrom(let other) = test else { return subject.leaves }
        return subject.leaves + other.leaves
    }
}

extension FieldMapping {
    /// The sources of facts that decide about an order, with their keys.
    var deciding: [(key: String, source: Source)] {
        let sources: [(String, Source?)] = [
            ("reference", reference), ("transaction", transaction), ("action", action),
            ("alias", alias), ("amount", amount), ("currency", currency),
            ("refundedAtLeast", refundedAtLeast), ("agreement", agreement),
        ]
        return sources.compactMap { key, source in source.map { (key, $0) } }
    }

    /// The other sources, with their keys.
    var describing: [(key: String, source: Source)] {
        let sources: [(String, Source?)] = [
            ("status", status), ("occurred", occurred), ("method", method),
            ("reason", reason?.code), ("reason", reason?.message),
        ]
        return sources.compactMap { key, source in source.map { (key, $0) } }
            + identity.map { ("identity", $0) }
    }

    /// Every place that is read, variants included.
    var leaves: [Source] {
        (deciding + describing).flatMap(\.source.leaves) + test.flatMap(\.leaves)
            + variants.flatMap { $0.conditions.flatMap(\.leaves) + $0.fields.leaves }
    }
}
