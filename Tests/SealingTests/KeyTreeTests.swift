import TestSupport
import Testing

@testable import Sealing

/// The model is the whole tree: what was not destroyed has the same key as before, and nothing that
/// is stored leads to what was.
@Suite struct KeyTreeTests {
    private static let depth = 6
    private static let numbers = 0..<UInt64(64)
    private let whole = KeyTree(root: [UInt8](repeating: 7, count: 32), depth: depth)

    @Test func `every number has a key of its own`() {
        let keys = Self.numbers.map { whole.key(of: $0) }
        #expect(Set(keys).count == 64 && !keys.contains(nil))
        #expect(whole.key(of: 64) == nil)
    }

    /// The keys of all leaves below the stored nodes.
    private static func derived(_ tree: KeyTree) -> Set<[UInt8]> {
        var level = tree.nodes.map { ($0.level, $0.key) }
        var leaves: Set<[UInt8]> = []
        while let (depth, key) = level.popLast() {
            if depth == tree.depth {
                leaves.insert(key)
            } else {
                for isRight in [false, true] {
                    level.append((depth + 1, KeyTree.child(of: key, isRight: isRight)))
                }
            }
        }
        return leaves
    }

    @Test(arguments: 1...40)
    func `what was destroyed cannot be derived, and all else can`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tree = whole
        var gone: Set<UInt64> = []
        for _ in 0..<12 {
            let start = UInt64.random(in: Self.numbers, using: &random)
            let end = min(start + UInt64.random(in: 1...5, using: &random), 64)
            tree.destroy(start..<end)
            gone.formUnion(start..<end)
            let left = Self.numbers.filter { !gone.contains($0) }
            for number in Self.numbers {
                let expected = gone.contains(number) ? nil : whole.key(of: number)
                #expect(tree.key(of: number) == expected)
            }
            #expect(Self.derived(tree) == Set(left.map { whole.key(of: $0)! }))
            let again = try #require(KeyTree(nodes: tree.nodes, depth: Self.depth))
            #expect(again == tree)
            var path = KeyPath(tree)
            for _ in 0..<100 {
                let number = UInt64.random(in: Self.numbers, using: &random)
                #expect(path.key(of: number) == tree.key(of: number))
            }
        }
    }

    @Test func `one destroyed record costs forty nodes, and a prefix a few`() {
        var tree = KeyTree(root: [UInt8](repeating: 1, count: 32))
        tree.destroy(12_345..<12_346)
        #expect(tree.nodes.count == KeyTree.recordDepth)
        tree.destroy(0..<1_000_000)
        #expect(tree.nodes.count <= KeyTree.recordDepth)
        #expect(tree.key(of: 999_999) == nil && tree.key(of: 1_000_000) != nil)
    }

    @Test func `overlapping and misplaced nodes are refused`() {
        let key = [UInt8](repeating: 0, count: 32)
        func tree(_ nodes: [KeyTree.Node]) -> KeyTree? {
            KeyTree(nodes: nodes, depth: Self.depth)
        }
        #expect(
            tree([.init(start: 0, level: 0, key: key), .init(start: 1, level: 6, key: key)]) == nil)
        #expect(tree([.init(start: 1, level: 5, key: key)]) == nil)
        #expect(tree([.init(start: 64, level: 6, key: key)]) == nil)
        #expect(tree([.init(start: 0, level: 7, key: key)]) == nil)
        #expect(tree([.init(start: 0, level: 6, key: [])]) == nil)
        #expect(tree([]) != nil)
    }

    @Test(arguments: [0, 1, 17, 31, 32, 63] as [UInt64])
    func `renewed numbers have other keys, and the others keep theirs`(_ first: UInt64) throws {
        var tree = whole
        tree.destroy(10..<20)
        tree.destroy(40..<41)
        var count: UInt8 = 0
        tree.renew(from: first) {
            count += 1
            return [UInt8](repeating: 100 + count, count: 32)
        }
        for number in Self.numbers where number < first {
            let isGone = (10..<20).contains(number) || number == 40
            #expect(tree.key(of: number) == (isGone ? nil : whole.key(of: number)))
        }
        let later = Self.numbers.filter { $0 >= first }.map { tree.key(of: $0) }
        #expect(!later.contains(nil) && Set(later).count == later.count)
        for number in Self.numbers where number >= first {
            #expect(tree.key(of: number) != whole.key(of: number))
        }
        #expect(KeyTree(nodes: tree.nodes, depth: Self.depth) == tree)
    }
}
