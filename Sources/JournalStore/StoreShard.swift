/// A 256th of everything that is remembered. Each shard grows alone, so that no growth is long.
struct StoreShard: Sendable, Equatable {
    /// Events by their identity.
    var events: DedupTable
    /// Orders by reference: tag → address in `arena`.
    var orders: TagTable
    /// Orders that are kept under an id until a reference comes: tag → address in `arena`.
    /// Few, so a table of their own stays in the processor's cache, and they are quickly listed.
    var unjoined: TagTable
    /// Provider ids, and references beside an order's own: tag → locator of the order.
    var pointers: TagTable
    /// The orders themselves.
    var arena = BlobArena()

    static let count = 256
}

extension StoreShard {
    /// The empty shard of this number, 0..<256.
    init(_ number: Int) {
        events = DedupTable(shard: number)
        orders = TagTable(valueBits: 32, shard: number)
        unjoined = TagTable(valueBits: 32, shard: number)
        pointers = TagTable(valueBits: 40, shard: number)
    }
}
