import Payments

/// The writing half of the tables: what a durable batch does to them.
extension StoreTables {
    /// Writes one decision that needs no overlay: replay's.
    mutating func apply(_ change: consuming EventChange) {
        remember(change.key, change.entry)
        if let (key, full) = change.full { note(full, under: key) }
        guard let place = change.place.take() else { return }
        for (key, removed) in place.moved { store(removed, under: key) }
        store(place.order, under: place.key)
        for pointer in place.pointers { attach(pointer, to: place.key) }
    }

    /// Notes the newest record that the tables know.
    mutating func note(_ sequence: UInt64, received: Timestamp) {
        self.sequence = max(self.sequence, sequence)
        ages.note(sequence, received: received)
    }

    mutating func remember(_ key: KeyHash, _ entry: DedupTable.Entry) {
        let before = shards[key.shard].events.count
        shards[key.shard].events.insert(key, entry)
        eventCount += shards[key.shard].events.count - before
    }

    /// Stores, moves or removes the order under `key`.
    mutating func store(_ stored: StoredOrder, under key: KeyHash) {
        if stored.isRemoved {
            guard let address = stored.address else { return }
            shards[key.shard][stored.table].remove(tag: key.tag, value: UInt64(address))
            shards[key.shard].arena.remove(address)
            orderCount -= 1
            return
        }
        scratch.removeAll(keepingCapacity: true)
        stored.blob.encode(into: &scratch)
        guard let address = stored.address else {
            let address = shards[key.shard].arena.insert(scratch)
            shards[key.shard][stored.table].insert(tag: key.tag, value: UInt64(address))
            orderCount += 1
            return
        }
        let new = shards[key.shard].arena.replace(address, with: scratch)
        if new == address { return }
        shards[key.shard][stored.table].replace(
            tag: key.tag, value: UInt64(address), with: UInt64(new))
    }

    /// Writes how many records a full order has had since it was full.
    mutating func note(_ full: FullOrder, under key: KeyHash) {
        guard let address = full.address else { return }
        shards[key.shard].arena.overwrite(
            address, at: OrderBlob.laterOffset(endpoint: full.endpoint), with: full.later.bytes)
    }

    /// Lets an id or a reference lead to the order. Both are keys.
    mutating func attach(_ pointer: KeyHash, to order: KeyHash) {
        shards[pointer.shard].pointers.insert(tag: pointer.pointerTag, value: order.locator)
    }

    /// Forgets the events of one shard that were recorded before `sequence`. Orders stay.
    mutating func forgetEvents(before sequence: UInt64, shard: Int) {
        let before = shards[shard].events.count
        shards[shard].events.forget(before: sequence)
        eventCount += shards[shard].events.count - before
    }
}
