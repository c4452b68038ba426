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
