import Ledger

/// A 256th of everything that is remembered. Each shard grows alone, so that no growth is long.
struct StoreShard: Sendable, Equatable {
    /// Events by their identity.
    var events: DedupTable
    /// Orders by reference: tag → address in `arena`.
    var orders: TagTable
    /// Orders that are kept under an id until a reference comes: tag → address in `arena`.
    /// They are few, so a separate table stays in the processor's cache and is quickly listed.
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

/// The two tables of orders that a shard has.
enum OrderTable: Sendable {
    /// Orders under their reference.
    case named
    /// Orders under the least of their ids, until a reference comes.
    case unjoined
}

extension StoreShard {
    subscript(table: OrderTable) -> TagTable {
        _read {
            switch table {
            case .named: yield orders
            case .unjoined: yield unjoined
            }
        }
        _modify {
            switch table {
            case .named: yield &orders
            case .unjoined: yield &unjoined
            }
        }
    }
}

extension StoredOrder {
    /// Which of a shard's tables holds it.
    var table: OrderTable { order.reference == nil ? .unjoined : .named }
}

extension KeyHash {
    /// The shard that holds the key: the first 8 bits.
    var shard: Int { Int(low >> 56) }

    /// The next 32 bits: what a slot of the order table keeps of the key.
    var tag: UInt32 { UInt32(truncatingIfNeeded: low >> 24) }

    /// Shard and tag together, 40 bits: enough to find an order again without its reference.
    var locator: UInt64 { low >> 24 }

    /// The next 24 bits: what a slot of the pointer table keeps of the key.
    var pointerTag: UInt32 { UInt32(truncatingIfNeeded: low >> 32) & 0xff_ffff }
}
