import Payments

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

    /// Adds the scalar at `path`; `appendValue` writes the text that is hashed.
    @inline(__always)
    mutating func append(
        _ path: ArraySlice<UInt8>, _ kind: EcommpayLeaf.Kind, _ appendValue: (inout [UInt8]) -> Void
    ) {
        let start = text.count
        text.append(path.span)
        text.append(UInt8(ascii: ":"))
        let valueStart = text.count
        appendValue(&text)
        leaves.append(
            EcommpayLeaf(
                kind: kind, path: start..<(valueStart - 1), value: valueStart..<text.count))
    }

    /// The same with other texts for the numbers at `places`, which rise.
    func replacing(_ places: [Int], with numbers: PrintedNumbers) -> EcommpayLeaves {
        var result = EcommpayLeaves()
        var next = 0
        for (index, leaf) in leaves.enumerated() {
            result.append(text[leaf.path], leaf.kind) { output in
                if next < places.count, places[next] == index {
                    output += numbers[next]
                    next += 1
                } else {
                    output.append(text.span.extracting(leaf.value))
                }
            }
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

    /// A string that is a time.
    func time(_ path: StaticString) -> Timestamp? {
        guard let leaf = leaf(path), leaf.kind == .string else { return nil }
        return Timestamp(lenient: text.span.extracting(leaf.value))
    }

    private func word(_ leaf: EcommpayLeaf) -> String? {
        guard text.span.extracting(leaf.value).isWord else { return nil }
        return String(decoding: text[leaf.value], as: UTF8.self)
    }

    /// The one scalar at `path`. A path without `::` names one place only, so nothing else can
    /// stand in for it.
    private func leaf(_ path: StaticString) -> EcommpayLeaf? {
        let text = text.span
        for leaf in leaves where text.extracting(leaf.path).spells(path) { return leaf }
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
