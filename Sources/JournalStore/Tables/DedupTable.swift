import Ledger

/// One shard of the memory of events: 128-bit hash → sequence and content fingerprint.
///
/// Open addressing with linear probing over 24-byte slots: two words of hash, then the sequence (40
/// bits) and the fingerprint (24 bits). Sequences start at 1, so a third word of zero is a free
/// slot. It is a value: a snapshot is a copy, and the array's copy-on-write makes that copy free
/// until the shard is next written.
struct DedupTable: Sendable, Equatable {
    private(set) var words: [UInt64] = []
    private(set) var count = 0
    private let growth: TableGrowth

    static let sequenceMax: UInt64 = 1 << 40 - 1

    private var capacity: Int { words.count / 3 }

    /// The empty table of a shard.
    init(shard: Int = 0) { growth = TableGrowth(shard: shard) }

    /// A shard's table as a snapshot holds it; nil when the words cannot be one.
    init?(shard: Int = 0, words: [UInt64], count: Int) {
        guard words.count % 3 == 0, count >= 0, count <= words.count / 3 * 17 / 20 else {
            return nil
        }
        self.init(shard: shard)
        self.words = words
        self.count = count
    }

    /// The entry of `key`, or nil when the event is new.
    func find(_ key: KeyHash) -> KnownEvent? {
        guard count > 0 else { return nil }
        let index = slot(of: key)
        guard words[index + 2] != 0 else { return nil }
        return Self.entry(words[index + 2])
    }

    /// Every entry, in no order.
    func forEach(_ visit: (KeyHash, KnownEvent) throws -> Void) rethrows {
        for index in stride(from: 0, to: words.count, by: 3) where words[index + 2] != 0 {
            try visit(
                KeyHash(low: words[index], high: words[index + 1]), Self.entry(words[index + 2]))
        }
    }

    /// Reads the slot where the search for `key` begins, so that it is near when it is wanted.
    func prefetch(_ key: KeyHash) -> UInt64 { words.isEmpty ? 0 : words[home(of: key) + 2] }

    /// Remembers `key`; an entry that is there already is replaced.
    mutating func insert(_ key: KeyHash, _ entry: KnownEvent) {
        precondition(entry.sequence > 0 && entry.sequence <= Self.sequenceMax)
        if (count + 1) * 20 > capacity * 17 { grow() }
        let index = slot(of: key)
        if words[index + 2] == 0 {
            words[index] = key.low
            words[index + 1] = key.high
            count += 1
        }
        words[index + 2] =
            entry.sequence << 24 | UInt64(entry.fingerprint & KnownEvent.fingerprintMask)
    }

    /// Forgets every event recorded before `sequence`. Linear in the shard's size, so one shard at
    /// a time.
    mutating func forget(before sequence: UInt64) {
        let limit = sequence << 24
        var kept = 0
        for index in stride(from: 2, to: words.count, by: 3) where words[index] >= limit {
            kept += 1
        }
        guard kept < count else { return }
        rebuild(capacity: max(TableGrowth.capacityMin, kept * 3 / 2)) { $0 >= limit }
    }

    private mutating func grow() {
        rebuild(capacity: growth.capacity(above: capacity)) { $0 != 0 }
    }

    private mutating func rebuild(capacity: Int, keeping: (UInt64) -> Bool) {
        let old = words
        words = [UInt64](repeating: 0, count: capacity * 3)
        count = 0
        for index in stride(from: 0, to: old.count, by: 3) where keeping(old[index + 2]) {
            let target = slot(of: KeyHash(low: old[index], high: old[index + 1]))
            words[target] = old[index]
            words[target + 1] = old[index + 1]
            words[target + 2] = old[index + 2]
            count += 1
        }
    }

    /// The first word of the key's slot, or of the free slot where it would go. The load stays ≤
    /// 0.85, so the search ends.
    private func slot(of key: KeyHash) -> Int {
        var index = home(of: key)
        while true {
            if words[index + 2] == 0 { return index }
            if words[index] == key.low && words[index + 1] == key.high { return index }
            index += 3
            if index == words.count { index = 0 }
        }
    }

    /// The high word is independent of the shard bits, and multiply-shift needs no power of two.
    private func home(of key: KeyHash) -> Int {
        Int(key.high.multipliedFullWidth(by: UInt64(capacity)).high) * 3
    }

    private static func entry(_ word: UInt64) -> KnownEvent {
        KnownEvent(
            sequence: word >> 24,
            fingerprint: UInt32(truncatingIfNeeded: word) & KnownEvent.fingerprintMask)
    }
}

/// How large a shard's table becomes when it is full: half as large again.
///
/// Each shard begins with another size. Keys fall into all shards alike, so with one size for all
/// every shard would be full at about the same moment, and a notification would cost many times as
/// much until all have moved. As it is, they take turns.
struct TableGrowth: Sendable, Equatable {
    /// The first size, in 256ths of a slot.
    private let first: Int

    static let capacityMin = 16

    init(shard: Int) {
        first = Self.capacityMin * (256 + 128 * shard / StoreShard.count)
    }

    /// The next size above `capacity` that is worth the move: by an eighth at least, for a snapshot
    /// may hold a table of a size that is none of this shard's.
    func capacity(above capacity: Int) -> Int {
        var next = first
        while next >> 8 <= capacity + capacity / 8 { next += next / 2 }
        return next >> 8
    }
}
