import Bytes

/// What a snapshot says of a shard before its content: counts and lengths, all LEB128.
struct ShardHeader: Equatable {
    var eventWords: Int
    var eventCount: Int
    var orderSlots: Int
    var orderCount: Int
    var pointerSlots: Int
    var pointerCount: Int
    var unjoinedSlots: Int
    var unjoinedCount: Int
    /// The arena's place of the next block: units used and the chunk's number, -1 when there is
    /// none.
    var used: Int
    var current: Int
    var free: [BlobArena.Address]
    /// The length of each chunk.
    var chunkBytes: [Int]

    /// No table or chunk is longer: what says so is damage.
    private static let lengthMax: UInt64 = 1 << 34

    init(_ shard: StoreShard) {
        eventWords = shard.events.words.count
        eventCount = shard.events.count
        orderSlots = shard.orders.slots.count
        orderCount = shard.orders.count
        pointerSlots = shard.pointers.slots.count
        pointerCount = shard.pointers.count
        unjoinedSlots = shard.unjoined.slots.count
        unjoinedCount = shard.unjoined.count
        used = shard.arena.used
        current = shard.arena.current
        free = shard.arena.free
        chunkBytes = shard.arena.chunks.map(\.count)
    }

    /// Nil when the bytes are damaged.
    init?(_ bytes: [UInt8]) {
        var reader = LEB128Reader(bytes[...])
        guard let fixed = Self.numbers(10, &reader), let lists = Self.numbers(2, &reader),
            let free = Self.numbers(lists[0], &reader),
            let chunkBytes = Self.numbers(lists[1], &reader), reader.rest.isEmpty
        else { return nil }
        eventWords = fixed[0]
        eventCount = fixed[1]
        orderSlots = fixed[2]
        orderCount = fixed[3]
        pointerSlots = fixed[4]
        pointerCount = fixed[5]
        unjoinedSlots = fixed[6]
        unjoinedCount = fixed[7]
        used = fixed[8]
        current = fixed[9] - 1
        self.free = free.map { UInt32(truncatingIfNeeded: $0) }
        self.chunkBytes = chunkBytes
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        let numbers =
            [
                eventWords, eventCount, orderSlots, orderCount, pointerSlots, pointerCount,
                unjoinedSlots, unjoinedCount, used, current + 1, free.count, chunkBytes.count,
            ] + free.map { Int($0) } + chunkBytes
        for number in numbers { LEB128.append(UInt64(number), to: &bytes) }
        return bytes
    }

    private static func numbers(_ count: Int, _ reader: inout LEB128Reader) -> [Int]? {
        var numbers: [Int] = []
        for _ in 0..<count {
            guard let number = reader.next(), number <= lengthMax else { return nil }
            numbers.append(Int(number))
        }
        return numbers
    }
}
