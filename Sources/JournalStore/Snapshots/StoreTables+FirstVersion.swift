import Bytes
import Ledger
import Payments

extension StoreTables {
    /// These tables, read from a snapshot of version 1, with their orders rebuilt: each is
    /// found by every id that it has used. Nil when an order cannot be read.
    func modernized() -> StoreTables? {
        var modern = StoreTables(function: function)
        modern.endpoints = endpoints
        modern.sequence = sequence
        modern.ages = ages
        modern.eventCount = eventCount
        var batch = PendingBatch(function: function, factsMax: .max)
        for index in shards.indices {
            modern.shards[index].events = shards[index].events
            for table in [OrderTable.named, .unjoined] {
                for value in shards[index][table].values {
                    let bytes = shards[index].arena.bytes(at: BlobArena.Address(value))
                    guard let blob = StoredOrder(firstVersion: bytes) else { return nil }
                    batch.add(blob, to: modern)
                }
            }
            batch.apply(to: &modern)
        }
        return modern
    }
}

extension PendingBatch {
    /// Adds an order as a snapshot has it, as one with those that hold the same ids.
    fileprivate mutating func add(_ blob: StoredOrder, to tables: borrowing StoreTables) {
        var parts: [(key: KeyHash, stored: StoredOrder)] = []
        for id in Set(blob.order.ids) {
            var found: [(key: KeyHash, order: FoundOrder)] = []
            collect(
                &found, by: keys.transaction(blob.endpoint, id), blob.endpoint, in: tables,
                .holds(id))
            for case (let key, .open(let order)) in found
            where !parts.contains(where: { $0.key == key }) {
                // Two operations of one id are no reason to make one order of two.
                if order.order.names(id) || blob.order.names(id) { parts.append((key, order)) }
            }
        }
        var place = OrderPlace(parts, endpoint: blob.endpoint)
        place.stored.merge(blob)
        place.settle(keys, endpoint: blob.endpoint, added: nil)
        accept(place)
    }
}

extension StoredOrder {
    /// Nil when the bytes are damaged. Before the order's own bytes stood the endpoint's number,
    /// and the sequences as today.
    fileprivate init?(firstVersion bytes: ArraySlice<UInt8>) {
        var reader = LEB128Reader(bytes)
        guard let endpoint = reader.next().flatMap({ UInt16(exactly: $0) }),
            let count = reader.next(), count <= UInt64(Self.sequencesMax)
        else { return nil }
        var sequences: [UInt64] = []
        var sequence: UInt64 = 0
        for _ in 0..<count {
            guard let difference = reader.next() else { return nil }
            sequence &+= difference
            sequences.append(sequence)
        }
        guard let order = Order(firstVersion: reader.rest) else { return nil }
        self.init(endpoint: endpoint, order: order, sequences: sequences)
    }
}
