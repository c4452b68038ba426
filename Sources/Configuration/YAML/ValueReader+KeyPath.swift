import Yams

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
                next = pair.map { ($0.value, "\(place.key).\(part)", "\(place.schema).\(part)") }
            }
            guard let next else { return place }
            place = ValueReader(
                node: next.node, key: next.key, schema: next.schema, reading: reading)
        }
        return place
    }
}
