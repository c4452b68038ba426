/// One shard of an index from a part of a key's hash (the tag) to a small value: eight bytes a
/// slot.
///
/// Tags are not unique: the caller checks each candidate against the order itself. The order
/// index keeps a 32-bit tag and a 32-bit arena address, the pointer index a 24-bit tag and the
/// 40-bit locator of an order.
struct TagTable: Sendable, Equatable {
    private(set) var slots = SlotPages<UInt64>(repeating: 0, count: 0)
    private(set) var count = 0
    private let valueBits: UInt64
    private let growth: TableGrowth

    /// The empty table of a shard, whose values have `valueBits` bits, the rest being tag.
    init(valueBits: Int, shard: Int = 0) {
        self.valueBits = UInt64(valueBits)
        growth = TableGrowth(shard: shard)
    }

    /// A shard's table as a snapshot holds it; nil when the slots cannot be one.
    init?(valueBits: Int, shard: Int = 0, slots: SlotPages<UInt64>, count: Int) {
        guard count >= 0, count <= slots.count * 17 / 20 else { return nil }
        self.init(valueBits: valueBits, shard: shard)
        self.slots = slots
        self.count = count
    }

    /// Reads the slot where the search for `tag` begins, so that it is in the processor's cache.
    func prefetch(tag: UInt32) -> UInt64 { slots.isEmpty ? 0 : slots[home(Self.tag(tag))] }

    /// A walk over the values under one tag (`next(_:)`). It holds no part of the table: a copy of
    /// that would count references.
    struct Search {
        fileprivate let tag: UInt64
        /// The slot to look at next.
        fileprivate var index: Int
    }

    /// A search for the values under `tag`.
    func search(tag: UInt32) -> Search {
        let tag = Self.tag(tag)
        return Search(tag: tag, index: count > 0 ? home(tag) : -1)
    }

    /// Returns the next value of a search in this table; nil when there are no more.
    func next(_ search: inout Search) -> UInt64? {
        guard search.index >= 0 else { return nil }
        while true {
            let slot = slots[search.index]
            if slot == 0 { return nil }
            search.index = next(search.index)
            if slot >> valueBits == search.tag { return slot & valueMask }
        }
    }

    /// All values, in no order.
    var values: some Sequence<UInt64> {
        slots.pages.lazy.joined().filter { $0 != 0 }.map { [valueMask] in $0 & valueMask }
    }

    /// Adds a value under `tag`, beside those that are there. A pair that is there already stays
    /// once.
    mutating func insert(tag: UInt32, value: UInt64) {
        precondition(value <= valueMask)
        if (count + 1) * 20 > slots.count * 17 { grow() }
        let slot = Self.tag(tag) << valueBits | value
        let index = find(slot)
        if slots[index] == 0 { count += 1 }
        slots[index] = slot
    }

    /// Replaces one value under `tag`; adds the new one when the old one is not there.
    mutating func replace(tag: UInt32, value: UInt64, with new: UInt64) {
        guard value != new else { return }
        precondition(new <= valueMask)
        guard count > 0 else { return insert(tag: tag, value: new) }
        let index = find(Self.tag(tag) << valueBits | value)
        guard slots[index] != 0 else { return insert(tag: tag, value: new) }
        slots[index] = Self.tag(tag) << valueBits | new
    }

    /// Removes a value; nothing happens when it is not there.
    mutating func remove(tag: UInt32, value: UInt64) {
        guard count > 0 else { return }
        var hole = find(Self.tag(tag) << valueBits | value)
        guard slots[hole] != 0 else { return }
        slots[hole] = 0
        count -= 1
        // Linear probing without tombstones: a slot that the hole cuts off from its home moves back
        // into it.
        var index = next(hole)
        while slots[index] != 0 {
            let home = home(slots[index] >> valueBits)
            let reachesHole =
                hole <= index ? home <= hole || home > index : home <= hole && home > index
            if reachesHole {
                slots[hole] = slots[index]
                slots[index] = 0
                hole = index
            }
            index = next(index)
        }
    }

    private var valueMask: UInt64 { 1 << valueBits - 1 }

    /// Zero marks a free slot, so tag 0 shares the name of tag 1: tags need not be unique.
    private static func tag(_ tag: UInt32) -> UInt64 { UInt64(max(tag, 1)) }

    private func home(_ tag: UInt64) -> Int {
        let scaled = tag << valueBits  // the tag as the top bits of a word
        return Int(scaled.multipliedFullWidth(by: UInt64(slots.count)).high)
    }

    private func next(_ index: Int) -> Int { index + 1 == slots.count ? 0 : index + 1 }

    /// The index of this slot, or of the free one where it would go.
    private func find(_ slot: UInt64) -> Int {
        var index = home(slot >> valueBits)
        while slots[index] != 0 && slots[index] != slot { index = next(index) }
        return index
    }

    private mutating func grow() {
        let old = slots
        slots = SlotPages(repeating: 0, count: growth.capacity(above: old.count))
        for page in old.pages {
            for slot in page where slot != 0 { slots[find(slot)] = slot }
        }
    }
}

/// The slots of a hash table, in pages of 512.
///
/// A snapshot shares the tables' memory, and an array that is shared is copied as a whole when it
/// is next written. With millions of orders a shard's arrays are megabytes, and a few batches write
/// into all shards: whole arrays would all be copied at once, while notifications wait. So a write
/// copies only its page, a few kilobytes.
struct SlotPages<Slot: BitwiseCopyable & Sendable & Equatable>: Sendable, Equatable {
    /// All but the last are full.
    private(set) var pages: [[Slot]]
    let count: Int

    static var slotsPerPage: Int { 1 << pageBits }
    private static var pageBits: Int { 9 }

    /// A table of free slots.
    init(repeating slot: Slot, count: Int) {
        self.count = count
        pages = []
        // A plain loop: a store begins with a thousand tables that have no page.
        var start = 0
        while start < count {
            pages.append([Slot](repeating: slot, count: min(Self.slotsPerPage, count - start)))
            start += Self.slotsPerPage
        }
    }

    var isEmpty: Bool { count == 0 }

    subscript(index: Int) -> Slot {
        get { pages[index >> Self.pageBits][index & (Self.slotsPerPage - 1)] }
        set { pages[index >> Self.pageBits][index & (Self.slotsPerPage - 1)] = newValue }
    }

    /// Copies bytes over the slots, from a byte offset; they must not reach beyond the end.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let pageBytes = Self.slotsPerPage * MemoryLayout<Slot>.stride
        var start = 0
        while start < bytes.count {
            let place = (offset + start) % pageBytes
            let end = min(bytes.count, start + pageBytes - place)
            pages[(offset + start) / pageBytes].withUnsafeMutableBytes { page in
                UnsafeMutableRawBufferPointer(rebasing: page[place..<place + end - start])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            }
            start = end
        }
    }
}
