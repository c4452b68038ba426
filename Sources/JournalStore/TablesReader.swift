import Ledger

/// Rebuilds the tables from the pieces of a snapshot.
///
/// The journal has checked every byte; what is checked here is that the pieces make tables, so that
/// neither an older program's snapshot nor a mistake of ours is ever taken for one.
struct TablesReader {
    private var tables: StoreTables?
    private var header: TablesHeader?
    private var draft: ShardDraft?
    private var shardsDone = 0
    private var isGood = true
    private var version = TablesSnapshot.version
    private let oldest: UInt64

    /// - Parameter oldest: The oldest version that is taken.
    init(oldest: UInt64 = TablesSnapshot.version) { self.oldest = oldest }

    /// Takes the next piece in.
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

    /// The tables, when the pieces were all there and made some; nil when the snapshot is of no
    /// use.
    mutating func finish() -> StoreTables? {
        guard isGood, endShard(), shardsDone == StoreShard.count, let tables else { return nil }
        let events = tables.shards.reduce(0) { $0 + $1.events.count }
        let orders = tables.shards.reduce(0) { $0 + $1.orders.count + $1.unjoined.count }
        guard events == tables.eventCount, orders == tables.orderCount else { return nil }
        self.tables = nil
        return version < TablesSnapshot.version ? tables.modernized() : tables
    }

    private mutating func begin(_ bytes: [UInt8]) {
        guard tables == nil, let header = TablesHeader(bytes), header.version >= oldest,
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
        version = header.version
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
