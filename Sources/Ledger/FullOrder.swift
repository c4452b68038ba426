import Payments

/// The head of a full order: all that its further events need. Its facts, which no event changes
/// any more, are not read.
package struct FullOrder: Sendable, Equatable {
    package var endpoint: UInt16
    /// The order's reference; of an unjoined order the least of its ids.
    package var name: String
    package var isUnjoined: Bool
    /// The flags that came with notifications, and `resolved` while a person's decision is valid.
    package var flags: FlagSet
    package var later: LaterRecords
    /// Where the store's memory holds it; nil while it is only in the batch.
    package var address: OrderAddress?

    package var reference: String? { isUnjoined ? nil : name }
    var summary: OrderSummary { OrderSummary(full: flags, isUnjoined: isUnjoined) }
    /// Whether a person has resolved it. The next event ends that, and so needs its facts.
    var isResolved: Bool { flags.contains(.resolved) }

    /// Whether an event that names both counts for `left`: the same in every process.
    static func precedes(_ left: FullOrder, _ right: FullOrder) -> Bool {
        if left.isUnjoined != right.isUnjoined { return right.isUnjoined }
        return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
}

extension FullOrder {
    /// The head of an order that a batch has changed.
    package init(_ stored: StoredOrder) {
        let order = stored.order
        let reference = order.reference
        var flags = order.markedFlags
        flags.insert(.resolved, when: order.isResolved)
        self.init(
            endpoint: stored.endpoint, name: reference ?? order.leastID ?? "",
            isUnjoined: reference == nil, flags: flags, later: stored.later,
            address: stored.address)
    }
}

/// The records of an order since it was full. They are only counted, so that each costs the same.
package struct LaterRecords: Sendable, Equatable {
    package var count: UInt64 = 0
    /// The newest of them.
    package var last: UInt64 = 0

    /// Its size among an order's bytes: two words, so that it can be overwritten in place.
    package static let byteCount = 16

    /// Adds a record; one that is there already stays once.
    mutating func add(_ sequence: UInt64) {
        guard sequence > last else { return }
        count += 1
        last = sequence
    }

    package var bytes: [UInt8] {
        [count, last].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
        }
    }

    /// - Parameter bytes: `byteCount` of them.
    package init(bytes: ArraySlice<UInt8>) {
        func word(_ part: ArraySlice<UInt8>) -> UInt64 {
            part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        count = word(bytes.prefix(8))
        last = word(bytes.dropFirst(8))
    }

    package init() {}
}
