import Ledger

/// Rebuilds the tables from the pieces of a snapshot.
///
/// The journal has checked every byte. Here the pieces are checked to make valid tables, so that a
/// bug in writing them is found.
struct TablesReader {
    private var tables: StoreTables?
    private var header: TablesHeader?
    private var draft: ShardDraft?
    private var shardsDone = 0
    private var isGood = true
    private let factsMax: Int?

    /// - Parameter factsMax: Most facts that an order holds; nil accepts the snapshot's own number.
    ///   Which facts are in a full order follows from it, so another number makes other tables.
    init(factsMax: Int?) { self.factsMax = factsMax }

    /// Reads the next piece.
    mutating func read(_ section: UInt32, _ bytes: UnsafeRawBufferPointer) {
        guard isGood else { return }
        if section == TablesSnapshot.headerSection {
            begin([UInt8](bytes))
            return
        }
        guard let (shard, part) = TablesSnapshot.place(section), tables != nil else {
            isGood = false
            return
        }
        if part == .header {
            isGood = endShard() && shard == shardsDone
            draft = ShardHeader([UInt8](bytes)).map { ShardDraft(shard, $0) }
            isGood = isGood && draft != nil
        } else {
            isGood = shard == shardsDone && draft?.append(bytes, to: part) == true
        }
    }

    /// Returns the tables; nil when the snapshot is incomplete or unusable.
    mutating func finish() -> StoreTables? {
        guard isGood, endShard(), shardsDone == StoreShard.count, let tables else { return nil }
        let events = tables.shards.reduce(0) { $0 + $1.events.count }
        let orders = tables.shards.reduce(0) { $0 + $1.orders.count + $1.unjoined.count }
        guard events == tables.eventCount, orders == tables.orderCount else { return nil }
        self.tables = nil
        return tables
    }

    private mutating func begin(_ bytes: [UInt8]) {
        guard tables == nil, let header = TablesHeader(bytes),
            factsMax == nil || header.factsMax == factsMax,
            let endpoints = EndpointNames(header.endpoints)
        else {
            isGood = false
            return
        }
        var tables = StoreTables(function: header.function)
        tables.endpoints = endpoints
        tables.sequence = header.sequence
        tables.eventCount = header.eventCount
        tables.orderCount = header.orderCount
        tables.ages = AgeMarks(header.ages)
        tables.erased = header.erased
        tables.factsMax = header.factsMax
        self.tables = tables
    }

    private mutating func endShard() -> Bool {
        guard let draft else { return true }
        guard let shard = draft.shard() else { return false }
        tables?.shards[shardsDone] = shard
        shardsDone += 1
        self.draft = nil
        return true
    }
}

/// A shard while it is read from a snapshot: arrays of the right length, filled from the front.
struct ShardDraft {
    private let number: Int
    private let header: ShardHeader
    private var events: FilledSlots<DedupTable.Slot>
    private var orders: FilledSlots<UInt64>
    private var pointers: FilledSlots<UInt64>
    private var unjoined: FilledSlots<UInt64>
    private var chunks: [[UInt8]]
    private var chunk = 0
    private var chunkOffset = 0

    /// - Parameter number: The shard's number.
    init(_ number: Int, _ header: ShardHeader) {
        self.number = number
        self.header = header
        events = FilledSlots(
            repeating: DedupTable.Slot(), count: header.eventWords / ShardHeader.wordsPerEvent)
        orders = FilledSlots(repeating: 0, count: header.orderSlots)
        pointers = FilledSlots(repeating: 0, count: header.pointerSlots)
        unjoined = FilledSlots(repeating: 0, count: header.unjoinedSlots)
        chunks = header.chunkBytes.map { [UInt8](repeating: 0, count: $0) }
        skipEmptyChunks()
    }

    /// Adds a piece. Returns false when there is no room for it.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer, to part: TablesSnapshot.Part
    ) -> Bool {
        switch part {
        case .header: false
        case .events: events.append(bytes)
        case .orders: orders.append(bytes)
        case .pointers: pointers.append(bytes)
        case .unjoined: unjoined.append(bytes)
        case .arena: appendToArena(bytes)
        }
    }

    /// Returns the shard; nil unless every array is full.
    func shard() -> StoreShard? {
        guard events.isFull, orders.isFull, pointers.isFull, unjoined.isFull,
            chunk == chunks.count,
            let events = DedupTable(
                shard: number, slots: events.slots, count: header.eventCount),
            let orders = TagTable(
                valueBits: 32, shard: number, slots: orders.slots,
                count: header.orderCount),
            let pointers = TagTable(
                valueBits: 40, shard: number, slots: pointers.slots,
                count: header.pointerCount),
            let unjoined = TagTable(
                valueBits: 32, shard: number, slots: unjoined.slots,
                count: header.unjoinedCount),
            let arena = BlobArena(
                chunks: chunks, used: header.used, current: header.current, free: header.free)
        else { return nil }
        return StoreShard(
            events: events, orders: orders, unjoined: unjoined, pointers: pointers,
            arena: arena)
    }

    /// A piece never reaches beyond the end of a chunk.
    private mutating func appendToArena(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard chunk < chunks.count, chunkOffset + bytes.count <= chunks[chunk].count else {
            return false
        }
        let range = chunkOffset..<chunkOffset + bytes.count
        chunks[chunk].withUnsafeMutableBytes { target in
            UnsafeMutableRawBufferPointer(rebasing: target[range]).copyMemory(from: bytes)
        }
        chunkOffset = range.upperBound
        if chunkOffset == chunks[chunk].count {
            chunk += 1
            chunkOffset = 0
            skipEmptyChunks()
        }
        return true
    }

    /// The chunk of a large blob that was freed has no bytes.
    private mutating func skipEmptyChunks() {
        while chunk < chunks.count && chunks[chunk].isEmpty { chunk += 1 }
    }
}

/// Slots of a known number that come in pieces of bytes.
struct FilledSlots<Slot: BitwiseCopyable & Sendable & Equatable> {
    private(set) var slots: SlotPages<Slot>
    private var filledBytes = 0
    private let byteCount: Int

    init(repeating slot: Slot, count: Int) {
        slots = SlotPages(repeating: slot, count: count)
        byteCount = count * MemoryLayout<Slot>.stride
    }

    var isFull: Bool { filledBytes == byteCount }

    /// Copies a piece after the previous ones. Returns false when there is no room for it.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= byteCount - filledBytes else { return false }
        slots.write(bytes, at: filledBytes)
        filledBytes += bytes.count
        return true
    }
}
