import Payments

extension StoreTables {
    /// These tables, read from a snapshot of version 1, with their orders written anew: each is
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
                    guard let blob = OrderBlob(firstVersion: bytes) else { return nil }
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
    fileprivate mutating func add(_ blob: OrderBlob, to tables: borrowing StoreTables) {
        var found: [(key: KeyHash, order: StoredOrder)] = []
        for id in Set(blob.order.ids) {
            collect(&found, by: keys.transaction(blob.endpoint, id), blob.endpoint, in: tables) {
                $0.names(id) || ($0.holds(id) && blob.order.names(id))
            }
        }
        var place = OrderPlace(found, endpoint: blob.endpoint)
        place.order.blob.merge(blob)
        place.settle(keys, endpoint: blob.endpoint, added: nil)
        accept(place)
    }
}

extension OrderBlob {
    /// Nil when the bytes are damaged.
    fileprivate init?(firstVersion bytes: ArraySlice<UInt8>) {
        guard let (endpoint, sequences, rest) = Self.head(of: bytes),
            let order = Order(firstVersion: rest)
        else { return nil }
        self.init(endpoint: endpoint, order: order, sequences: sequences)
    }
}
