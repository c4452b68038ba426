/// Names in the order in which they came, and where each stands. Names are told apart by their
/// bytes.
///
/// Adding one and looking for one cost as much as the name is long, whatever the others are:
/// `Hasher` has a key drawn at random for each process, so nobody outside can choose names that
/// collide.
struct NameTable {
    private struct Slot {
        var hash = 0
        /// The name's place plus one; zero where the slot is free.
        var entry = 0
    }

    /// All names, one behind the other.
    private(set) var bytes: [UInt8] = []

    /// Where each stands in ``bytes``.
    private(set) var places: [Range<Int>] = []

    /// A power of two, at most half of them taken.
    private var slots: [Slot]

    /// Bytes that were hashed or compared.
    private(set) var touchedBytes = 0

    init(capacity: Int) {
        let slotCount = 1 << (Int.bitWidth - (max(capacity, 1) * 2).leadingZeroBitCount)
        slots = [Slot](repeating: Slot(), count: slotCount)
        places.reserveCapacity(capacity)
    }

    /// The number of names.
    var count: Int { places.count }

    /// False where the name is there already.
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

    /// The place of `name` among the names, counted from zero.
    func place(of name: Span<UInt8>) -> Int? {
        let entry = slots[slot(of: name, Self.hash(name))].entry
        return entry == 0 ? nil : entry - 1
    }

    /// The slot that holds `name`, or the free one where it belongs.
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
