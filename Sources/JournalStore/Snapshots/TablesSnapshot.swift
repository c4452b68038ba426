import Bytes
import Ledger
import Payments
import Records

/// The content of a snapshot of the tables.
///
/// The pieces of a snapshot (`SnapshotWriter`) belong to numbered sections and come back whole and
/// in order:
///
/// | section | piece | content |
/// |---|---|---|
/// | 0 | first of all | `TablesHeader`: version, key, counts, endpoints, ages, erased records |
/// | 16 n + 1 | before all other pieces of shard n | `ShardHeader`: how long everything in it is |
/// | 16 n + 2 | any number | slots of the event table |
/// | 16 n + 3 | any number | slots of the order table |
/// | 16 n + 4 | any number | slots of the pointer table |
/// | 16 n + 5 | any number | slots of the table of unjoined orders |
/// | 16 n + 6 | any number | the arena's chunks, one after the other |
///
/// Slots are words as they are in memory, little-endian, so that loading is copying. A snapshot of
/// another version, or of another `orderFactsMax`, is ignored, and the journal is read instead.
/// Where the journal's beginning is gone, one of another `orderFactsMax` is used: orders that were
/// full stay so.
enum TablesSnapshot {
    static let version: UInt64 = 2
    static let headerSection: UInt32 = 0

    /// The sections of a shard.
    enum Part: UInt32, CaseIterable {
        case header = 1
        case events, orders, pointers, unjoined, arena
    }

    static func section(_ part: Part, of shard: Int) -> UInt32 {
        UInt32(shard) << 4 | part.rawValue
    }

    /// Returns the shard and part of a section; nil when it has none.
    static func place(_ section: UInt32) -> (shard: Int, part: Part)? {
        guard let part = Part(rawValue: section & 15), section >> 4 < StoreShard.count else {
            return nil
        }
        return (Int(section >> 4), part)
    }
}

/// The first piece of a snapshot. All numbers are LEB128; a text is its length and its UTF-8.
struct TablesHeader: Equatable {
    var version = TablesSnapshot.version
    /// `orderFactsMax` when it was made.
    var factsMax: Int
    var function: SipHash
    var sequence: UInt64
    var eventCount: Int
    var orderCount: Int
    var endpoints: [String]
    var ages: [AgeMarks.Mark]
    var erased: ErasedRecords

    init(_ tables: StoreTables) {
        factsMax = tables.factsMax
        function = tables.function
        sequence = tables.sequence
        eventCount = tables.eventCount
        orderCount = tables.orderCount
        endpoints = tables.endpoints.names
        ages = tables.ages.marks
        erased = tables.erased
    }

    /// Nil when the bytes are of another version, or damaged.
    init?(_ bytes: [UInt8]) {
        var reader = LEB128Reader(bytes[...])
        guard let version = reader.next(), version == TablesSnapshot.version,
            let factsMax = reader.next().flatMap({ Int(exactly: $0) }),
            let low = reader.next(), let high = reader.next(), let sequence = reader.next(),
            let events = reader.next(), let orders = reader.next(), let names = reader.next()
        else { return nil }
        self.version = version
        self.factsMax = factsMax
        function = SipHash(key: (low, high))
        self.sequence = sequence
        eventCount = Int(clamping: events)
        orderCount = Int(clamping: orders)
        endpoints = []
        ages = []
        for _ in 0..<min(names, UInt64(EndpointNames.countMax)) {
            guard let count = reader.next(), let name = reader.text(count) else { return nil }
            endpoints.append(name)
        }
        guard let marks = reader.next() else { return nil }
        for _ in 0..<marks {
            guard let sequence = reader.next(), let moment = reader.next() else { return nil }
            let received = Timestamp(microseconds: Int64(bitPattern: moment))
            ages.append(AgeMarks.Mark(sequence: sequence, received: received))
        }
        guard let count = reader.next(), let records = Self.erased(count, &reader),
            reader.rest.isEmpty
        else { return nil }
        erased = records
    }

    private static func erased(
        _ count: UInt64, _ reader: inout LEB128Reader
    ) -> ErasedRecords? {
        var ranges: [ClosedRange<UInt64>] = []
        for _ in 0..<count {
            guard let first = reader.next(), let last = reader.next(), first <= last else {
                return nil
            }
            ranges.append(first...last)
        }
        return ErasedRecords(ascending: ranges)
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        let numbers = [
            version, UInt64(factsMax), function.key.0, function.key.1, sequence, UInt64(eventCount),
            UInt64(orderCount), UInt64(endpoints.count),
        ]
        for number in numbers { LEB128.append(number, to: &bytes) }
        for name in endpoints {
            LEB128.append(UInt64(name.utf8.count), to: &bytes)
            bytes.append(contentsOf: name.utf8)
        }
        LEB128.append(UInt64(ages.count), to: &bytes)
        for mark in ages {
            LEB128.append(mark.sequence, to: &bytes)
            LEB128.append(UInt64(bitPattern: mark.received.microseconds), to: &bytes)
        }
        LEB128.append(UInt64(erased.ranges.count), to: &bytes)
        for range in erased.ranges {
            LEB128.append(range.lowerBound, to: &bytes)
            LEB128.append(range.upperBound, to: &bytes)
        }
        return bytes
    }
}

/// The header of a shard in a snapshot: counts and lengths, all LEB128.
struct ShardHeader: Equatable {
    var eventWords: Int
    var eventCount: Int
    var orderSlots: Int
    var orderCount: Int
    var pointerSlots: Int
    var pointerCount: Int
    var unjoinedSlots: Int
    var unjoinedCount: Int
    /// Place of the arena's next block: units used, and the chunk's number, or -1 when there is
    /// none.
    var used: Int
    var current: Int
    var free: [BlobArena.Address]
    /// The length of each chunk.
    var chunkBytes: [Int]

    /// Words of a slot of the event table.
    static let wordsPerEvent = 3
    /// Longest table or chunk; a greater length is damage.
    private static let lengthMax: UInt64 = 1 << 34

    init(_ shard: StoreShard) {
        eventWords = shard.events.slots.count * Self.wordsPerEvent
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
