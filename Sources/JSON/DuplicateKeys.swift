/// Finds two members of one name in an object. RFC 8259 §4 calls what a reader makes of them
/// unpredictable: a signature check and an interpreter could then see different amounts.
enum DuplicateKeys {
    /// Up to here members are compared pairwise, beyond by a table. 496 comparisons at worst,
    /// each no longer than a name, so linear in the text whatever an attacker sends.
    static let pairwiseMembersMax = 32

    /// The source offset of a name that stood before in the object at `object`, whose members end
    /// the tape, or nil.
    static func first(
        _ source: Span<UInt8>, _ nodes: Span<JSONNode>, object: Int
    ) -> Int? {
        var memberCount = 0
        var hasEscapes = false
        var seen: UInt64 = 0
        var hasCollision = false
        var key = object + 1
        while key < nodes.count {
            let bit: UInt64 = 1 << UInt64(nodes[key].link & 63)
            hasCollision = hasCollision || seen & bit != 0
            seen |= bit
            hasEscapes = hasEscapes || nodes[key].hasEscapes
            memberCount += 1
            key = Int(nodes[key + 1].link)
        }
        if hasEscapes || memberCount > pairwiseMembersMax {
            return firstHashed(source, nodes, object: object, memberCount: memberCount)
        }
        return hasCollision ? firstPairwise(source, nodes, object: object) : nil
    }

    /// For few names without escapes. The mask has a bit for each hint seen (modulo 64), so that
    /// most names are known to be new without looking back.
    private static func firstPairwise(
        _ source: Span<UInt8>, _ nodes: Span<JSONNode>, object: Int
    ) -> Int? {
        var seen: UInt64 = 0
        var key = object + 1
        while key < nodes.count {
            let bit: UInt64 = 1 << UInt64(nodes[key].link & 63)
            if seen & bit != 0, occurs(source, nodes, key, from: object + 1) {
                return Int(nodes[key].start)
            }
            seen |= bit
            key = Int(nodes[key + 1].link)
        }
        return nil
    }

    /// Whether one of the names from `first` up to `key` has the same bytes.
    private static func occurs(
        _ source: Span<UInt8>, _ nodes: Span<JSONNode>, _ key: Int, from first: Int
    ) -> Bool {
        let sought = nodes[key]
        let length = sought.end - sought.start
        var other = first
        while other < key {
            let candidate = nodes[other]
            if candidate.link == sought.link, candidate.end - candidate.start == length,
                equal(source, Int(candidate.start), Int(sought.start), count: Int(length))
            {
                return true
            }
            other = Int(nodes[other + 1].link)
        }
        return false
    }

    /// For many names, or names with escapes. `Hasher` is SipHash with a key drawn at random for
    /// each process: nobody outside can choose names that collide.
    private static func firstHashed(
        _ source: Span<UInt8>, _ nodes: Span<JSONNode>, object: Int, memberCount: Int
    ) -> Int? {
        var names = Set<[UInt8]>()
        names.reserveCapacity(memberCount)
        var key = object + 1
        while key < nodes.count {
            let node = nodes[key]
            let content = Int(node.start) + 1..<Int(node.end) - 1
            var name: [UInt8] = []
            JSONText.appendUnescaped(source, content, to: &name)
            guard names.insert(name).inserted else { return Int(node.start) }
            key = Int(nodes[key + 1].link)
        }
        return nil
    }

    private static func equal(
        _ source: Span<UInt8>, _ first: Int, _ second: Int, count: Int
    ) -> Bool {
        for index in 0..<count where source[first + index] != source[second + index] {
            return false
        }
        return true
    }
}
