/// A shard that is being read from a snapshot: arrays of the right length, filled from the front.
struct ShardDraft {
    private let number: Int
    private let header: ShardHeader
    private var events: FilledWords
    private var orders: FilledWords
    private var pointers: FilledWords
    private var unjoined: FilledWords
    private var chunks: [[UInt8]]
    private var chunk = 0
    private var chunkOffset = 0

    /// - Parameter number: the shard's.
    init(_ number: Int, _ header: ShardHeader) {
        self.number = number
        self.header = header
        events = FilledWords(count: header.eventWords)
        orders = FilledWords(count: header.orderSlots)
        pointers = FilledWords(count: header.pointerSlots)
        unjoined = FilledWords(count: header.unjoinedSlots)
        chunks = header.chunkBytes.map { [UInt8](repeating: 0, count: $0) }
        skipEmptyChunks()
    }

    /// Adds a piece; false when there is no room for it.
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

    /// The shard, when every array is full.
    func shard() -> StoreShard? {
        guard events.isFull, orders.isFull, pointers.isFull, unjoined.isFull,
            chunk == chunks.count,
            let events = DedupTable(
                shard: number, words: events.words, count: header.eventCount),
            let orders = TagTable(
                valueBits: 32, shard: number, slots: orders.words,
                count: header.orderCount),
            let pointers = TagTable(
                valueBits: 40, shard: number, slots: pointers.words,
                count: header.pointerCount),
            let unjoined = TagTable(
                valueBits: 32, shard: number, slots: unjoined.words,
                count: header.unjoinedCount),
            let arena = BlobArena(
                chunks: chunks, used: header.used, current: header.current, free: header.free)
        else { return nil }
        return StoreShard(
            events: events, orders: orders, unjoined: unjoined, pointers: pointers,
            arena: arena)
    }

    /// A piece never reaches over the end of a chunk.
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

    /// The place of a large blob that was given back has no bytes.
    private mutating func skipEmptyChunks() {
        while chunk < chunks.count && chunks[chunk].isEmpty { chunk += 1 }
    }
}
