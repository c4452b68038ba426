import Cryptography

/// Keys for numbers, each of which can be destroyed for ever while all others stay.
///
/// A puncturable pseudorandom function, after Goldreich, Goldwasser and Micali: a binary tree in
/// which the keys of two children are derived from their parent's (`KeyExpansion`), and a leaf's
/// key belongs to the leaf's number. At first the root is stored. To destroy a number's key, the
/// node above it is replaced by its descendants that are not above the number: at most ``depth`` of
/// them. Every other key can still be derived, and this one cannot.
///
/// ```swift
/// var tree = KeyTree(root: SecureRandom.bytes(32))
/// let key = tree.key(of: 17)
/// tree.destroy(17..<18)
/// tree.key(of: 17)  // nil
/// ```
package struct KeyTree: Sendable, Equatable {
    /// Bytes of every key.
    package static let keyBytes = KeyExpansion.keyBytes
    /// The depth of a tree for records: numbers are below 2⁴⁰.
    package static let recordDepth = 40

    /// A stored node: the keys of all numbers in its range can be derived from its own.
    package struct Node: Sendable, Equatable {
        /// The first number below it.
        package var start: UInt64
        /// The distance from the root; ``KeyTree/depth`` for a leaf.
        package var level: Int
        package var key: [UInt8]
    }

    package let depth: Int
    /// In the order of their numbers; none is above another.
    package private(set) var nodes: [Node]

    /// - Parameter root: 32 random bytes.
    package init(root: [UInt8], depth: Int = KeyTree.recordDepth) {
        self.depth = depth
        nodes = [Node(start: 0, level: 0, key: root)]
    }

    /// A tree of stored nodes; nil where two of them overlap, or one is not in a tree of this
    /// depth.
    package init?(nodes: [Node], depth: Int = KeyTree.recordDepth) {
        self.depth = depth
        self.nodes = nodes.sorted { $0.start < $1.start }
        var end: UInt64 = 0
        for node in self.nodes {
            guard (0...depth).contains(node.level), node.key.count == Self.keyBytes,
                node.start >= end, node.start % width(of: node.level) == 0,
                node.start < 1 << UInt64(depth)
            else { return nil }
            end = node.start + width(of: node.level)
        }
    }

    /// Count of the numbers below a node of this level.
    private func width(of level: Int) -> UInt64 { 1 << UInt64(depth - level) }

    /// The stored node above `number`; nil if its key was destroyed.
    func node(above number: UInt64) -> Node? {
        let place = place(after: number) - 1
        guard place >= 0, number - nodes[place].start < width(of: nodes[place].level) else {
            return nil
        }
        return nodes[place]
    }

    /// The index of the first node that begins after `number`.
    private func place(after number: UInt64) -> Int {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[middle].start <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The key of `number`; nil if it was destroyed.
    package func key(of number: UInt64) -> [UInt8]? {
        guard let node = node(above: number) else { return nil }
        var key = node.key
        for level in node.level..<depth {
            key = Self.child(of: key, isRight: isRight(number, below: level))
        }
        return key
    }

    /// Whether the way from a node of `level` to `number` leads to the right.
    func isRight(_ number: UInt64, below level: Int) -> Bool {
        number >> UInt64(depth - level - 1) & 1 == 1
    }

    static func child(of key: [UInt8], isRight: Bool) -> [UInt8] {
        Array(half(of: KeyExpansion.keys(from: key[...]), isRight: isRight))
    }

    /// One of two keys that are next to each other.
    static func half(of pair: [UInt8], isRight: Bool) -> ArraySlice<UInt8> {
        isRight ? pair[keyBytes...] : pair[..<keyBytes]
    }

    /// Whether any of `numbers` still has a key.
    package func hasKey(in numbers: ClosedRange<UInt64>) -> Bool {
        let next = nodes[place(after: numbers.lowerBound)...].first
        return node(above: numbers.lowerBound) != nil
            || next.map { $0.start <= numbers.upperBound } ?? false
    }

    /// Whether `number` and all later ones have keys.
    package func isWhole(from number: UInt64) -> Bool {
        var next = number
        while next < 1 << UInt64(depth) {
            guard let node = node(above: next) else { return false }
            next = node.start + width(of: node.level)
        }
        return true
    }

    /// Destroys the keys of `numbers`. Those that are destroyed already stay so.
    package mutating func destroy(_ numbers: Range<UInt64>) {
        guard !numbers.isEmpty else { return }
        var kept: [Node] = []
        kept.reserveCapacity(nodes.count + 2 * depth)
        for node in nodes { keep(node, without: numbers, in: &kept) }
        nodes = kept
    }

    /// Gives new keys to `number` and all later ones, in place of those that they have or had.
    package mutating func renew(from number: UInt64, random: () -> [UInt8]) {
        let end: UInt64 = 1 << UInt64(depth)
        destroy(number..<end)
        // The largest nodes that begin with `number` and end with the last one.
        var start = number
        while start < end {
            let level = depth - min(start == 0 ? depth : start.trailingZeroBitCount, depth)
            nodes.append(Node(start: start, level: level, key: random()))
            start += width(of: level)
        }
    }

    /// Appends the largest nodes below `node` that are not above any of `numbers`.
    private func keep(_ node: Node, without numbers: Range<UInt64>, in kept: inout [Node]) {
        let range = node.start..<node.start + width(of: node.level)
        guard range.overlaps(numbers) else { return kept.append(node) }
        guard range.lowerBound < numbers.lowerBound || range.upperBound > numbers.upperBound else {
            return
        }
        for isRight in [false, true] {
            let level = node.level + 1
            let start = node.start + (isRight ? width(of: level) : 0)
            keep(
                Node(start: start, level: level, key: Self.child(of: node.key, isRight: isRight)),
                without: numbers, in: &kept)
        }
    }
}

/// Derives the keys of numbers that follow each other with one step each on the average, by keeping
/// the keys on the way to the last one.
package struct KeyPath {
    private let tree: KeyTree
    /// The keys of both children of each node on the way from the stored node to the last number.
    private var pairs: [[UInt8]] = []
    private var node: KeyTree.Node?
    private var last: UInt64 = 0

    package init(_ tree: KeyTree) { self.tree = tree }

    /// The key of `number`; nil if it was destroyed.
    package mutating func key(of number: UInt64) -> [UInt8]? {
        guard let above = tree.node(above: number) else { return nil }
        if node != above { (node, pairs, last) = (above, [], number) }
        // The level of the lowest node that is above both numbers.
        let shared = tree.depth - (UInt64.bitWidth - (last ^ number).leadingZeroBitCount)
        let known = min(pairs.count, max(shared - above.level, 0) + 1)
        pairs.removeLast(pairs.count - known)
        last = number
        for level in above.level + known..<max(tree.depth, above.level + known) {
            let parent = key(at: level, above: number) ?? above.key[...]
            pairs.append(KeyExpansion.keys(from: parent))
        }
        return key(at: tree.depth, above: number).map { Array($0) } ?? above.key
    }

    /// The key of the node of `level` above `number`, from the pair that has it; nil for the stored
    /// node.
    private func key(at level: Int, above number: UInt64) -> ArraySlice<UInt8>? {
        guard let node, level > node.level else { return nil }
        return KeyTree.half(
            of: pairs[level - node.level - 1], isRight: tree.isRight(number, below: level - 1))
    }
}
