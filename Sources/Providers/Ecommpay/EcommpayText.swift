/// The text that ecommpay signs: `path:value` of every leaf, sorted, joined with `;`.
enum EcommpayText {
    /// The sort orders of the official SDKs.
    enum Order: Int, CaseIterable {
        /// Natural order of the paths: the PHP SDK.
        case natural
        /// Byte order of the paths: the Python SDK.
        case bytes
        /// Byte order of path, colon and value: the Go and Java SDKs. It differs from the byte
        /// order of the paths if one path is a prefix of another, such as `a` and `a-b`.
        case pair
    }

    /// Returns the text of `leaves` in this order.
    static func text(_ leaves: EcommpayLeaves, order: Order) -> [UInt8] {
        var comparedBytes = 0
        return text(
            leaves, in: sorted(leaves, order, comparedBytes: &comparedBytes, comparedMax: .max))
    }

    /// Returns the text of `leaves` in the order of `places`.
    static func text(_ leaves: EcommpayLeaves, in places: [Int]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(leaves.text.count + leaves.leaves.count)
        let given = leaves.text.span
        for place in places {
            if !text.isEmpty { text.append(UInt8(ascii: ";")) }
            text.append(given.extracting(leaves.leaves[place].whole))
        }
        return text
    }

    /// A leaf with the beginning of its path as a number, which distinguishes nearly all leaves.
    private struct Key {
        let leaf: Int
        let prefix: UInt128
        /// Whether comparing the numbers gives the result of this order.
        let isPlain: Bool
    }

    /// Cost of a comparison besides the bytes that it reads.
    private static let comparisonBytes = 4

    /// Returns the indices of the leaves in this order. If two paths compare equal (`a1`, `a01`),
    /// they stay in the order of the body.
    ///
    /// Once `comparedBytes` reaches `comparedMax`, comparison stops: the result is then not sorted,
    /// and the caller must check `comparedBytes`.
    static func sorted(
        _ leaves: EcommpayLeaves, _ order: Order, comparedBytes: inout Int, comparedMax: Int
    ) -> [Int] {
        var keys: [Key] = []
        keys.reserveCapacity(leaves.leaves.count)
        for (index, leaf) in leaves.leaves.enumerated() {
            let part = order == .pair ? leaf.whole : leaf.path
            let prefix = leaves.text.span.firstSixteen(of: part)
            let isPlain =
                order != .natural || NaturalOrder.isPlain(prefix, byteCount: part.count)
            keys.append(Key(leaf: index, prefix: prefix, isPlain: isPlain))
        }
        var compared = comparedBytes + leaves.leaves.count * Self.comparisonBytes
        keys.sort { left, right in
            compared += Self.comparisonBytes
            if left.isPlain, right.isPlain, left.prefix != right.prefix {
                return left.prefix < right.prefix
            }
            guard compared < comparedMax else { return left.leaf < right.leaf }
            let result = compare(
                leaves, leaves.leaves[left.leaf], leaves.leaves[right.leaf], order, &compared)
            return result == 0 ? left.leaf < right.leaf : result < 0
        }
        comparedBytes = compared
        return keys.map(\.leaf)
    }

    private static func compare(
        _ leaves: EcommpayLeaves, _ left: EcommpayLeaf, _ right: EcommpayLeaf, _ order: Order,
        _ compared: inout Int
    ) -> Int {
        let text = leaves.text.span
        switch order {
        case .natural:
            return NaturalOrder.compare(
                leaves.text[left.path], leaves.text[right.path], &compared)
        case .bytes:
            return text.extracting(left.path).compare(text.extracting(right.path), &compared)
        case .pair:
            return text.extracting(left.whole).compare(text.extracting(right.whole), &compared)
        }
    }
}

extension Span<UInt8> {
    /// Compares bytes: negative, zero or positive if these sort before, equal to or after `other`.
    /// Adds the number of equal leading bytes to `compared`.
    fileprivate func compare(_ other: Span<UInt8>, _ compared: inout Int) -> Int {
        let common = Swift.min(count, other.count)
        var offset = 0
        while offset < common, self[offset] == other[offset] { offset += 1 }
        compared += offset
        return offset < common ? Int(self[offset]) - Int(other[offset]) : count - other.count
    }
}
