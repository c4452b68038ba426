import Ledger
import Payments

extension StoreTables: LedgerChanges {
    mutating func advance(to sequence: UInt64, received: Timestamp) {
        self.sequence = max(self.sequence, sequence)
        ages.note(sequence, received: received)
    }

    mutating func remember(_ key: KeyHash, _ event: KnownEvent) {
        let before = shards[key.shard].events.count
        shards[key.shard].events.insert(key, event)
        eventCount += shards[key.shard].events.count - before
    }

    mutating func store(_ stored: StoredOrder, under key: KeyHash) {
        if stored.isRemoved {
            guard let address = stored.address?.blob else { return }
            shards[key.shard][stored.table].remove(tag: key.tag, value: UInt64(address))
            shards[key.shard].arena.remove(address)
            orderCount -= 1
            return
        }
        scratch.removeAll(keepingCapacity: true)
        stored.encode(into: &scratch)
        guard let address = stored.address?.blob else {
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

    mutating func updateLater(of full: FullOrder, under key: KeyHash) {
        guard let address = full.address?.blob else { return }
        shards[key.shard].arena.overwrite(
            address, at: StoredOrder.laterOffset(endpoint: full.endpoint), with: full.later.bytes)
    }

    mutating func attach(_ pointer: KeyHash, to order: KeyHash) {
        shards[pointer.shard].pointers.insert(tag: pointer.pointerTag, value: order.locator)
    }
}

extension StoreTables {
    /// Forgets the events of one shard that were recorded before `sequence`. Orders stay.
    mutating func forgetEvents(before sequence: UInt64, shard: Int) {
        let before = shards[shard].events.count
        shards[shard].events.forget(before: sequence)
        eventCount += shards[shard].events.count - before
    }
}
