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
        var other = first
        while other < key {
            let candidate = nodes[other]
            if candidate.link == sought.link, equal(source, candidate, sought) {
                return true
            }
            other = Int(nodes[other + 1].link)
        }
        return false
    }

    /// For many names, or names with escapes: a table with open addressing, at most half full.
    private static func firstHashed(
        _ source: Span<UInt8>, _ nodes: Span<JSONNode>, object: Int, memberCount: Int
    ) -> Int? {
        let slotCount = 1 << (Int.bitWidth - (memberCount * 2).leadingZeroBitCount)
        var slots = [Slot](repeating: Slot(hash: 0, key: 0), count: slotCount)
        var key = object + 1
        while key < nodes.count {
            let hash = hash(source, nodes[key])
            var place = Int(truncatingIfNeeded: hash) & (slotCount - 1)
            // No name has index 0: that is where the outermost value stands.
            while slots[place].key != 0 {
                if slots[place].hash == hash,
                    equal(source, nodes[slots[place].key], nodes[key])
                {
                    return Int(nodes[key].start)
                }
                place = (place + 1) & (slotCount - 1)
            }
            slots[place] = Slot(hash: hash, key: key)
            key = Int(nodes[key + 1].link)
        }
        return nil
    }

    private struct Slot {
        var hash: UInt64
        var key: Int
    }

    /// `Hasher` is SipHash with a key drawn at random for each process: nobody outside can
    /// choose names that collide.
    private static func hash(_ source: Span<UInt8>, _ node: JSONNode) -> UInt64 {
        var hasher = Hasher()
        if node.hasEscapes {
            unescaped(source, node).withUnsafeBytes { hasher.combine(bytes: $0) }
        } else {
            source.extracting(node.content).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    private static func equal(
        _ source: Span<UInt8>, _ first: JSONNode, _ second: JSONNode
    ) -> Bool {
        if first.hasEscapes || second.hasEscapes {
            return unescaped(source, first) == unescaped(source, second)
        }
        guard first.content.count == second.content.count else { return false }
        return equal(source, first.content, second.content)
    }

    private static func unescaped(_ source: Span<UInt8>, _ node: JSONNode) -> [UInt8] {
        var name: [UInt8] = []
        JSONText.appendUnescaped(source, node.content, to: &name)
        return name
    }

    /// Two ranges of one length.
    private static func equal(
        _ source: Span<UInt8>, _ first: Range<Int>, _ second: Range<Int>
    ) -> Bool {
        let distance = second.lowerBound - first.lowerBound
        for offset in first where source[offset] != source[offset + distance] {
            return false
        }
        return true
    }
}
