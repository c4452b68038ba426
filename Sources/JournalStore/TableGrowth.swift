/// How large a shard's table becomes when it is full: half as large again.
///
/// Each shard begins with another size. Keys fall into all shards alike, so with one size for all
/// every shard would be full at about the same moment, and a notification would cost many times as
/// much until all have moved. As it is, they take turns.
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
