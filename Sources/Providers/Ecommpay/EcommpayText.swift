/// The text that ecommpay signs: `path:value` of every leaf, sorted, joined with `;`.
///
/// Its SDKs sort differently and print numbers differently, and nothing says which of them the
/// sending side is like. So there are up to four candidates for one callback, fewer where the
/// choices make no difference.
enum EcommpayText {
    enum Order: CaseIterable {
        /// Natural, by path: the PHP SDK.
        case natural
        /// By the bytes of the path: the Python SDK.
        case bytes
    }

    /// The text of `leaves` in this order.
    static func text(_ leaves: EcommpayLeaves, order: Order) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(leaves.text.count + leaves.leaves.count)
        let given = leaves.text.span
        for key in sorted(leaves, order) {
            if !text.isEmpty { text.append(UInt8(ascii: ";")) }
            text.append(given.extracting(leaves.leaves[key.leaf].whole))
        }
        return text
    }

    /// Gives `judge` one after the other the texts that may have been signed, each with what would
    /// be signed then, the likeliest first, until it finds something. The first is nearly always
    /// the one, so no other is made before it is needed.
    static func first<Found>(
        of leaves: EcommpayLeaves, _ judge: (_ text: [UInt8], _ leaves: EcommpayLeaves) -> Found?
    ) -> Found? {
        if let found = first(in: leaves, judge) { return found }
        let shortened = leaves.withShortestNumbers
        return shortened == leaves ? nil : first(in: shortened, judge)
    }

    private static func first<Found>(
        in form: EcommpayLeaves, _ judge: (_ text: [UInt8], _ leaves: EcommpayLeaves) -> Found?
    ) -> Found? {
        let natural = text(form, order: .natural)
        if let found = judge(natural, form) { return found }
        let bytes = text(form, order: .bytes)
        return bytes == natural ? nil : judge(bytes, form)
    }

    /// A leaf with the beginning of its path as a number, by which nearly all are told apart.
    private struct Key {
        let leaf: Int
        let prefix: UInt128
        /// Whether in this order the numbers say what the bytes would.
        let isPlain: Bool
    }

    /// Where two paths compare equal (`a1`, `a01`), the body's order stays.
    private static func sorted(_ leaves: EcommpayLeaves, _ order: Order) -> [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(leaves.leaves.count)
        for (index, leaf) in leaves.leaves.enumerated() {
            let prefix = leaves.text.span.firstSixteen(of: leaf.path)
            let isPlain =
                order == .bytes || NaturalOrder.isPlain(prefix, byteCount: leaf.path.count)
            keys.append(Key(leaf: index, prefix: prefix, isPlain: isPlain))
        }
        keys.sort { left, right in
            if left.isPlain, right.isPlain, left.prefix != right.prefix {
                return left.prefix < right.prefix
            }
            let first = leaves.text[leaves.leaves[left.leaf].path]
            let second = leaves.text[leaves.leaves[right.leaf].path]
            guard order == .natural else { return first.lexicographicallyPrecedes(second) }
            let result = NaturalOrder.compare(first, second)
            return result == 0 ? left.leaf < right.leaf : result < 0
        }
        return keys
    }
}
