import Payments

/// The scalars of a callback that ecommpay signs; only they are read.
///
/// They are stored as one text in which each scalar is a range: a callback has about twenty of
/// them, and the hashed text consists of the same bytes in another order.
package struct EcommpayLeaves: Sendable, Equatable {
    /// The `path:value` of each leaf, concatenated.
    private(set) var text: [UInt8] = []

    /// The leaves in the order of the body.
    private(set) var leaves: [EcommpayLeaf] = []

    init() {
        text.reserveCapacity(1024)
        leaves.reserveCapacity(32)
    }

    /// Adds the scalar at `path`; `appendValue` writes its hashed text.
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

    /// Returns these leaves with other texts for the numbers at `places`, which are in ascending
    /// order.
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

    // The signed text of `5` and `"5"` is the same, and so is that of `true` and `"1"`. These
    // accessors therefore do not distinguish them.

    /// The text at `path` if it can be an id or a status.
    func word(_ path: StaticString) -> String? {
        guard let value = leaf(path)?.value, text.span.extracting(value).isWord else { return nil }
        return String(decoding: text[value], as: UTF8.self)
    }

    /// The digits of a number, or a text. An exponent is resolved: SDKs print `4.2e+06` for
    /// 4200000.
    func number(_ path: StaticString) -> String? {
        guard let word = word(path) else { return nil }
        let isPlain = word.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
        guard !isPlain, word.utf8.contains(where: { $0 == 0x65 || $0 == 0x45 }),
            EcommpayNumber.isNumber(word.utf8)
        else { return word }
        return shortestNumber(word)
    }

    /// A free text up to the first `;`: the rest may be another field.
    func words(_ path: StaticString) -> String? {
        guard let value = leaf(path)?.value else { return nil }
        let end = text[value].firstIndex(of: Self.separator) ?? value.upperBound
        guard text.span.extracting(value.lowerBound..<end).isWord else { return nil }
        return String(decoding: text[value.lowerBound..<end], as: UTF8.self)
    }

    func time(_ path: StaticString) -> Timestamp? {
        leaf(path).flatMap { Timestamp(lenient: text.span.extracting($0.value)) }
    }

    /// The parts of the signed text between `;`, sorted. Equal for all documents and SDK orders
    /// that have this text.
    var sortedParts: [UInt8] {
        let parts = leaves.flatMap {
            text[$0.whole].split(
                separator: Self.separator, omittingEmptySubsequences: false)
        }
        return Array(
            parts.sorted { $0.lexicographicallyPrecedes($1) }.joined(separator: [Self.separator]))
    }

    /// The scalar at `path`. A path without `::` names exactly one place, so no other scalar can
    /// have it.
    private func leaf(_ path: StaticString) -> EcommpayLeaf? {
        let text = text.span
        for leaf in leaves where text.extracting(leaf.path).spells(path) { return leaf }
        return nil
    }

    /// Whether there is a scalar at or below the root's member `key`.
    func has(_ key: StaticString) -> Bool {
        leaves.contains { leaf in
            let end = leaf.path.lowerBound + key.utf8CodeUnitCount
            guard end <= leaf.path.upperBound else { return false }
            return text[leaf.path.lowerBound..<end].spells(key)
                // Every path is followed by a colon.
                && text[end] == UInt8(ascii: ":")
        }
    }
}
