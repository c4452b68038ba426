/// A 256th of everything that is remembered. Each shard grows alone, so that no growth is long.
struct StoreShard: Sendable, Equatable {
    /// Events by their identity.
    var events = DedupTable()
    /// Orders by reference: tag → address in `arena`.
    var orders = TagTable(valueBits: 32)
    /// Orders that are kept under a transaction until a reference comes: tag → address in `arena`.
    /// Few, so a table of their own stays in the processor's cache, and they are quickly listed.
    var unjoined = TagTable(valueBits: 32)
    /// Transactions: tag → locator of the order that holds it.
    var transactions = TagTable(valueBits: 40)
    /// The orders themselves.
    var arena = BlobArena()

    static let count = 256
}
