/// The scalars of a callback that ecommpay signs, and all that is read of it.
///
/// They are kept as one text, in which each scalar is a range: a callback has twenty or so, and the
/// text that is hashed is made of the same bytes in another order.
package struct EcommpayLeaves: Sendable, Equatable {
    /// `path:value` of each leaf, one behind the other.
    private(set) var text: [UInt8] = []

    /// In the order of the body.
    private(set) var leaves: [EcommpayLeaf] = []

    init() {
        text.reserveCapacity(1024)
        leaves.reserveCapacity(32)
    }

    mutating func append(
        _ path: ArraySlice<UInt8>, _ kind: EcommpayLeaf.Kind, _ value: ArraySlice<UInt8>
    ) {
        let start = text.count
        text.append(contentsOf: path)
        text.append(UInt8(ascii: ":"))
        let valueStart = text.count
        text.append(contentsOf: value)
        leaves.append(
            EcommpayLeaf(
                kind: kind, path: start..<(valueStart - 1), value: valueStart..<text.count))
    }

    /// The same with every number in its shortest form.
    var withShortestNumbers: EcommpayLeaves {
        var result = EcommpayLeaves()
        for leaf in leaves {
            let value = text[leaf.value]
            result.append(
                text[leaf.path], leaf.kind,
                leaf.kind == .number
                    ? Array(shortestNumber(String(decoding: value, as: UTF8.self)).utf8)[...]
                    : value)
        }
        return result
    }

    /// A string that can be an id or a status.
    func word(_ path: StaticString) -> String? {
        guard let leaf = leaf(path), leaf.kind == .string else { return nil }
        return word(leaf)
    }

    /// A string or a number: ids come as either.
    func identifier(_ path: StaticString) -> String? {
        guard let leaf = leaf(path), leaf.kind == .string || leaf.kind == .number else {
            return nil
        }
        return word(leaf)
    }

    private func word(_ leaf: EcommpayLeaf) -> String? {
        let value = text[leaf.value]
        return value.isWord ? String(decoding: value, as: UTF8.self) : nil
    }

    /// The one scalar at `path`. A path without `::` names one place only, so nothing else can
    /// stand in for it.
    private func leaf(_ path: StaticString) -> EcommpayLeaf? {
        for leaf in leaves where text[leaf.path].spells(path) { return leaf }
        return nil
    }

    /// Whether anything stands at or under the root's member `key`.
    func has(_ key: StaticString) -> Bool {
        leaves.contains { leaf in
            let end = leaf.path.lowerBound + key.utf8CodeUnitCount
            guard end <= leaf.path.upperBound else { return false }
            return text[leaf.path.lowerBound..<end].spells(key)
                // Behind every path stands a colon.
                && text[end] == UInt8(ascii: ":")
        }
    }
}
