/// Finds two members with the same name in an object. RFC 8259 §4 calls the behaviour of readers
/// unpredictable then: a signature check and an interpreter could see different amounts.
struct DuplicateKeys {
    /// Up to this many members, hints are compared pairwise (at most 496 comparisons); beyond it, a
    /// hash table is used.
    static let pairwiseMembersMax = 32

    /// Bytes of names that were hashed or compared. Each name counts a few times, whatever an
    /// attacker sends.
    private(set) var comparedBytes = 0

    /// Returns the source offset of a name that occurs earlier in the object at `object`, whose
    /// members end the tape, or nil.
    mutating func first(
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
        if hasEscapes || memberCount > Self.pairwiseMembersMax {
            return firstHashed(source, nodes, object: object, memberCount: memberCount)
        }
        guard hasCollision else { return nil }
        switch firstPairwise(source, nodes, object: object) {
        case .none: return nil
        case .key(let offset): return offset
        case .hintsCollide:
            return firstHashed(source, nodes, object: object, memberCount: memberCount)
        }
    }

    private enum Pairwise {
        case none
        case key(Int)
        /// Two names differ although their hints are equal. This hardly ever happens by chance; an
        /// attacker could use it to have every pair of long names compared.
        case hintsCollide
    }

    /// For few names without escapes. The mask has a bit for each hint seen (modulo 64), so most
    /// names are recognised as new without looking back.
    private mutating func firstPairwise(
        _ source: Span<UInt8>, _ nodes: Span<JSONNode>, object: Int
    ) -> Pairwise {
        var seen: UInt64 = 0
        var key = object + 1
        while key < nodes.count {
            let bit: UInt64 = 1 << UInt64(nodes[key].link & 63)
            if seen & bit != 0, let other = sameHint(nodes, as: key, from: object + 1) {
                return equal(source, nodes[other], nodes[key])
                    ? .key(Int(nodes[key].start)) : .hintsCollide
            }
            seen |= bit
            key = Int(nodes[key + 1].link)
        }
        return .none
    }

    /// Returns the first name from `first` up to `key` that has the same hint.
    private func sameHint(_ nodes: Span<JSONNode>, as key: Int, from first: Int) -> Int? {
        var other = first
        while other < key {
            if nodes[other].link == nodes[key].link { return other }
            other = Int(nodes[other + 1].link)
        }
        return nil
    }

    /// For many names, or names with escapes: a hash table with open addressing, at most half full.
    private mutating func firstHashed(
        _ source: Span<UInt8>, _ nodes: Span<JSONNode>, object: Int, memberCount: Int
    ) -> Int? {
        let slotCount = 1 << (Int.bitWidth - (memberCount * 2).leadingZeroBitCount)
        var slots = [Slot](repeating: Slot(hash: 0, key: 0), count: slotCount)
        var key = object + 1
        while key < nodes.count {
            let hash = hash(source, nodes[key])
            var place = Int(truncatingIfNeeded: hash) & (slotCount - 1)
            // No name has index 0, which is the outermost value's.
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

    /// `Hasher` is SipHash with a key drawn at random for each process, so an attacker cannot
    /// choose names that collide.
    private mutating func hash(_ source: Span<UInt8>, _ node: JSONNode) -> UInt64 {
        comparedBytes += node.content.count
        var hasher = Hasher()
        if node.hasEscapes {
            unsafe Self.unescaped(source, node).withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        } else {
            unsafe source.extracting(node.content).withUnsafeBytes {
                unsafe hasher.combine(bytes: $0)
            }
        }
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    private mutating func equal(
        _ source: Span<UInt8>, _ first: JSONNode, _ second: JSONNode
    ) -> Bool {
        comparedBytes += second.content.count
        if first.hasEscapes || second.hasEscapes {
            return Self.unescaped(source, first) == Self.unescaped(source, second)
        }
        guard first.content.count == second.content.count else { return false }
        return Self.equal(source, first.content, second.content)
    }

    private static func unescaped(_ source: Span<UInt8>, _ node: JSONNode) -> [UInt8] {
        var name: [UInt8] = []
        JSONText.appendUnescaped(source, node.content, to: &name)
        return name
    }

    /// Compares two ranges of the same length.
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
