import Ledger

/// One shard of the memory of events: 128-bit hash → sequence and content fingerprint.
///
/// Open addressing with linear probing over slots of 24 bytes. It is a value: a snapshot is a copy,
/// and a page is copied when it is next written.
struct DedupTable: Sendable, Equatable {
    /// Two words of hash, then the sequence (40 bits) and the fingerprint (24 bits). Sequences
    /// start at 1, so an entry of zero is a free slot.
    struct Slot: BitwiseCopyable, Equatable {
        var low: UInt64 = 0
        var high: UInt64 = 0
        var entry: UInt64 = 0

        var isFree: Bool { entry == 0 }
    }

    private(set) var slots = SlotPages(repeating: Slot(), count: 0)
    private(set) var count = 0
    private let growth: TableGrowth

    static let sequenceMax: UInt64 = 1 << 40 - 1

    /// The empty table of a shard.
    init(shard: Int = 0) { growth = TableGrowth(shard: shard) }

    /// A shard's table as a snapshot holds it; nil when the slots cannot be one.
    init?(shard: Int = 0, slots: SlotPages<Slot>, count: Int) {
        guard count >= 0, count <= slots.count * 17 / 20 else { return nil }
        self.init(shard: shard)
        self.slots = slots
        self.count = count
    }

    /// Returns the entry of `key`; nil when the event is new.
    func find(_ key: KeyHash) -> KnownEvent? {
        guard count > 0 else { return nil }
        let slot = slots[place(of: key)]
        return slot.isFree ? nil : Self.event(slot.entry)
    }

    /// Every entry, in no order.
    func forEach(_ visit: (KeyHash, KnownEvent) throws -> Void) rethrows {
        for page in slots.pages {
            for slot in page where !slot.isFree {
                try visit(KeyHash(low: slot.low, high: slot.high), Self.event(slot.entry))
            }
        }
    }

    /// Reads the slot where the search for `key` begins, so that it is in the processor's cache.
    func prefetch(_ key: KeyHash) -> UInt64 { slots.isEmpty ? 0 : slots[home(of: key)].entry }

    /// Remembers `key`; an entry that is there already is replaced.
    mutating func insert(_ key: KeyHash, _ event: KnownEvent) {
        precondition(event.sequence > 0 && event.sequence <= Self.sequenceMax)
        if (count + 1) * 20 > slots.count * 17 { grow() }
        let place = place(of: key)
        if slots[place].isFree { count += 1 }
        let fingerprint = UInt64(event.fingerprint & KnownEvent.fingerprintMask)
        slots[place] = Slot(
            low: key.low, high: key.high, entry: event.sequence << 24 | fingerprint)
    }

    /// Forgets every event recorded before `sequence`. Linear in the shard's size, so one shard at
    /// a time.
    mutating func forget(before sequence: UInt64) {
        let limit = sequence << 24
        var kept = 0
        for page in slots.pages {
            for slot in page where slot.entry >= limit { kept += 1 }
        }
        guard kept < count else { return }
        rebuild(capacity: max(TableGrowth.capacityMin, kept * 3 / 2)) { $0.entry >= limit }
    }

    private mutating func grow() {
        rebuild(capacity: growth.capacity(above: slots.count)) { !$0.isFree }
    }

    private mutating func rebuild(capacity: Int, keeping: (Slot) -> Bool) {
        let old = slots
        slots = SlotPages(repeating: Slot(), count: capacity)
        count = 0
        for page in old.pages {
            for slot in page where keeping(slot) {
                slots[place(of: KeyHash(low: slot.low, high: slot.high))] = slot
                count += 1
            }
        }
    }

    /// The key's slot, or the free slot where it would go. The load stays ≤ 0.85, so the search
    /// ends.
    private func place(of key: KeyHash) -> Int {
        var index = home(of: key)
        while true {
            let slot = slots[index]
            if slot.isFree || slot.low == key.low && slot.high == key.high { return index }
            index += 1
            if index == slots.count { index = 0 }
        }
    }

    /// The high word is independent of the shard bits, and multiply-shift needs no power of two.
    private func home(of key: KeyHash) -> Int {
        Int(key.high.multipliedFullWidth(by: UInt64(slots.count)).high)
    }

    private static func event(_ entry: UInt64) -> KnownEvent {
        KnownEvent(
            sequence: entry >> 24,
            fingerprint: UInt32(truncatingIfNeeded: entry) & KnownEvent.fingerprintMask)
    }
}

/// The sizes of a shard's table: when it is full, it grows by half.
///
/// Each shard begins with another size. Keys are spread evenly over the shards, so with one size
/// all shards would be full at about the same time, and a notification would cost many times as
/// much until all have grown. With different sizes they take turns.
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
