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
        text(sorted(leaves.leaves, order: order))
    }

    /// Gives `judge` one after the other the texts that may have been signed, each with what would
    /// be signed then, the likeliest first, until it finds something. The first is nearly always
    /// the one, so no other is made before it is needed.
    static func first<Found>(
        of leaves: EcommpayLeaves, _ judge: (_ text: [UInt8], _ leaves: EcommpayLeaves) -> Found?
    ) -> Found? {
        if let found = first(in: leaves, judge) { return found }
        let shortened = EcommpayLeaves(leaves: leaves.leaves.map(\.withShortestNumber))
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

    private static func sorted(_ leaves: [EcommpayLeaf], order: Order) -> [EcommpayLeaf] {
        switch order {
        case .bytes:
            leaves.sorted { utf8Precedes($0.path, $1.path) }
        case .natural:
            // Paths are turned into bytes once; where two compare equal (`a1`, `a01`), the body's
            // order stays.
            leaves.map { (path: Array($0.path.utf8), leaf: $0) }.enumerated()
                .sorted { left, right in
                    let order = NaturalOrder.compare(left.element.path, right.element.path)
                    return order == 0 ? left.offset < right.offset : order < 0
                }
                .map(\.element.leaf)
        }
    }

    private static func text(_ leaves: [EcommpayLeaf]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(1024)
        for leaf in leaves {
            if !text.isEmpty { text.append(UInt8(ascii: ";")) }
            text.append(contentsOf: leaf.path.utf8)
            text.append(UInt8(ascii: ":"))
            text.append(contentsOf: leaf.value.utf8)
        }
        return text
    }
}
