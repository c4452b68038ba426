/// Names in order of arrival, with their positions. Names are compared by their bytes.
///
/// The cost of adding and finding a name depends only on its length: `Hasher` has a random key for
/// each process, so a sender cannot choose names that collide.
struct NameTable {
    private struct Slot {
        var hash = 0
        /// The name's index plus one; zero for a free slot.
        var entry = 0
    }

    /// The bytes of all names, concatenated.
    private(set) var bytes: [UInt8] = []

    /// The range of each name in ``bytes``.
    private(set) var places: [Range<Int>] = []

    /// The hash table. Its size is a power of two, and at most half of it is used.
    private var slots: [Slot]

    /// Number of bytes that were hashed or compared.
    private(set) var touchedBytes = 0

    init(capacity: Int) {
        let slotCount = 1 << (Int.bitWidth - (max(capacity, 1) * 2).leadingZeroBitCount)
        slots = [Slot](repeating: Slot(), count: slotCount)
        places.reserveCapacity(capacity)
    }

    /// Number of names.
    var count: Int { places.count }

    /// Adds a name. Returns false if it is already present.
    mutating func add(_ name: Span<UInt8>) -> Bool {
        if (places.count + 1) * 2 > slots.count { grow() }
        let hash = Self.hash(name)
        touchedBytes += name.count
        let slot = slot(of: name, hash)
        guard slots[slot].entry == 0 else {
            touchedBytes += name.count
            return false
        }
        let start = bytes.count
        bytes.append(name)
        places.append(start..<bytes.count)
        slots[slot] = Slot(hash: hash, entry: places.count)
        return true
    }

    /// Returns the index of `name`, or nil.
    func place(of name: Span<UInt8>) -> Int? {
        let entry = slots[slot(of: name, Self.hash(name))].entry
        return entry == 0 ? nil : entry - 1
    }

    /// Returns the slot that contains `name`, or the free one for it.
    private func slot(of name: Span<UInt8>, _ hash: Int) -> Int {
        var index = hash & (slots.count - 1)
        while slots[index].entry != 0 {
            if slots[index].hash == hash,
                bytes.span.extracting(places[slots[index].entry - 1]).equals(name)
            {
                return index
            }
            index = (index + 1) & (slots.count - 1)
        }
        return index
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: old.count * 2)
        for slot in old where slot.entry != 0 {
            var index = slot.hash & (slots.count - 1)
            while slots[index].entry != 0 { index = (index + 1) & (slots.count - 1) }
            slots[index] = slot
        }
    }

    private static func hash(_ name: Span<UInt8>) -> Int {
        var hasher = Hasher()
        name.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
