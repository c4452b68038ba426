import Payments

/// Everything that the store remembers of durable records. A value: a snapshot is a copy of it,
/// which costs nothing until a part of it is next written.
struct StoreTables: Sendable, Equatable {
    /// The secret key of every hash. It is made anew when the tables are, so whoever could guess a
    /// hash once cannot for long, and nobody outside ever sees one.
    let function: SipHash
    var endpoints = EndpointNames()
    var shards: [StoreShard]
    /// The last record that these tables know; 0 when there is none.
    var sequence: UInt64 = 0
    var eventCount = 0
    var orderCount = 0
    /// When records were received, about once a day: what tells the age of an event from its
    /// sequence.
    var ages = AgeMarks()
    /// Where an order is encoded before it goes to its arena.
    var scratch: [UInt8] = []

    init(function: SipHash) {
        self.function = function
        shards = (0..<StoreShard.count).map(StoreShard.init(_:))
    }

    /// Reads the places where a decision on this notification will look, and returns what is of no
    /// meaning.
    ///
    /// With millions of orders each place is somewhere in main memory, and a decision waits for one
    /// after the other. The processor fetches many at once when nothing depends on them: so the
    /// committer touches the places of many notifications first.
    func touch(_ hashes: NotificationHashes) -> UInt64 {
        var sum = shards[hashes.event.shard].events.touch(hashes.event)
        if let key = hashes.reference {
            sum &+= shards[key.shard].orders.touch(tag: key.tag)
            sum &+= UInt64(shards[key.shard].arena.touch())
        }
        if let key = hashes.transaction {
            sum &+= shards[key.shard].pointers.touch(tag: key.pointerTag)
        }
        return sum
    }

    /// What is remembered of an event.
    func event(_ key: KeyHash) -> DedupTable.Entry? { shards[key.shard].events.find(key) }

    /// The order stored under `key` that is the wanted one: keys' tags are not unique.
    func order(
        _ key: KeyHash, in table: OrderTable, endpoint: UInt16, where isWanted: (Order) -> Bool
    ) -> StoredOrder? {
        order(key.shard, table, tag: key.tag, endpoint: endpoint, where: isWanted)
    }

    /// Calls `visit` with each wanted order that the key of an id or of a reference leads to; some
    /// may come twice.
    func forEachOrder(
        pointedAtBy key: KeyHash, endpoint: UInt16, where isWanted: (Order) -> Bool,
        _ visit: (StoredOrder) -> Void
    ) {
        _ = shards[key.shard].pointers.first(tag: key.pointerTag) { locator in
            let shard = Int(locator >> 32)
            let tag = UInt32(truncatingIfNeeded: locator)
            for table in [OrderTable.named, .unjoined] {
                if let order = order(shard, table, tag: tag, endpoint: endpoint, where: isWanted) {
                    visit(order)
                }
            }
            return false
        }
    }

    /// The first of them.
    private func order(
        pointedAtBy key: KeyHash, endpoint: UInt16, where isWanted: (Order) -> Bool
    ) -> StoredOrder? {
        var found: StoredOrder?
        forEachOrder(pointedAtBy: key, endpoint: endpoint, where: isWanted) { found = found ?? $0 }
        return found
    }

    /// Looks an order up by its reference or one of its aliases, for queries.
    func order(endpoint name: String, reference: String) -> OrderView? {
        guard let endpoint = endpoints.known(name) else { return nil }
        let key = KeyMaker(function: function).reference(endpoint, reference)
        let stored =
            order(key, in: .named, endpoint: endpoint) { $0.isNamed(reference) }
            ?? order(pointedAtBy: key, endpoint: endpoint) {
                $0.isKnown(as: reference, role: .alias)
            }
        return stored.map { view($0.blob) }
    }

    /// Looks an order up by a provider id that it holds, for queries; one without a reference too.
    func order(endpoint name: String, transaction: String) -> OrderView? {
        guard let endpoint = endpoints.known(name) else { return nil }
        let key = KeyMaker(function: function).transaction(endpoint, transaction)
        return order(pointedAtBy: key, endpoint: endpoint) { $0.holds(transaction) }
            .map { view($0.blob) }
    }

    /// The orders that no notification has given a reference yet, at most `limit` of them.
    func unjoined(limit: Int) -> [OrderView] {
        var views: [OrderView] = []
        for shard in shards where shard.unjoined.count > 0 {
            for value in shard.unjoined.values where views.count < limit {
                views.append(view(blob(shard.arena.bytes(at: BlobArena.Address(value)))))
            }
        }
        return views
    }

    private func view(_ blob: OrderBlob) -> OrderView {
        OrderView(
            endpoint: endpoints[blob.endpoint], order: blob.order, sequences: blob.sequences)
    }

    /// These bytes were written by `OrderBlob.encode`, here or under a snapshot's checksums.
    private func blob(_ bytes: ArraySlice<UInt8>) -> OrderBlob {
        guard let blob = OrderBlob(bytes) else {
            preconditionFailure("a damaged order in memory")
        }
        return blob
    }

    private func order(
        _ shard: Int, _ table: OrderTable, tag: UInt32, endpoint: UInt16,
        where isWanted: (Order) -> Bool
    ) -> StoredOrder? {
        var found: StoredOrder?
        _ = shards[shard][table].first(tag: tag) { value in
            let address = BlobArena.Address(value)
            let bytes = shards[shard].arena.bytes(at: address)
            guard OrderBlob.endpoint(of: bytes) == endpoint else { return false }
            let blob = blob(bytes)
            guard isWanted(blob.order) else { return false }
            found = StoredOrder(blob: blob, address: address)
            return true
        }
        return found
    }
}
