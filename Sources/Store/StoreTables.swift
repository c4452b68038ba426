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

    /// The order stored under `key` that is the wanted one.
    func order(
        _ key: KeyHash, in table: OrderTable, endpoint: UInt16, _ question: OrderQuestion
    ) -> FoundOrder? {
        order(key.shard, table, tag: key.tag, endpoint: endpoint, question)
    }

    /// Calls `visit` with each wanted order that the key of an id or of a reference leads to; some
    /// may come twice.
    ///
    /// - Parameter isKnown: Whether the order at this place of this shard need not be looked at.
    func forEachOrder(
        pointedAtBy key: KeyHash, endpoint: UInt16, _ question: OrderQuestion,
        except isKnown: (Int, BlobArena.Address) -> Bool = { _, _ in false },
        _ visit: (FoundOrder) -> Void
    ) {
        _ = shards[key.shard].pointers.first(tag: key.pointerTag) { locator in
            let shard = Int(locator >> 32)
            let tag = UInt32(truncatingIfNeeded: locator)
            for table in [OrderTable.named, .unjoined] {
                let found = order(
                    shard, table, tag: tag, endpoint: endpoint, question, except: isKnown)
                if let found { visit(found) }
            }
            return false
        }
    }

    /// The order that a lookup has found, with its facts.
    func decoded(_ found: FoundOrder, shard: Int) -> StoredOrder {
        switch found {
        case .open(let order): return order
        case .full(let full):
            guard let address = full.address else {
                preconditionFailure("a full order that is not in the tables")
            }
            var blob = blob(shards[shard].arena.bytes(at: address))
            blob.later = full.later
            return StoredOrder(blob: blob, address: address)
        }
    }

    /// Looks an order up by its reference or one of its aliases, for queries.
    func order(endpoint name: String, reference: String) -> OrderView? {
        guard let endpoint = endpoints.known(name) else { return nil }
        let keys = KeyMaker(function: function)
        let key = keys.reference(endpoint, reference)
        if let found = order(key, in: .named, endpoint: endpoint, .isNamed(reference)) {
            return view(decoded(found, shard: key.shard).blob)
        }
        return view(pointedAtBy: key, keys, endpoint, .isKnown(reference, .alias))
    }

    /// Looks an order up by a provider id that it holds, for queries; one without a reference too.
    func order(endpoint name: String, transaction: String) -> OrderView? {
        guard let endpoint = endpoints.known(name) else { return nil }
        let keys = KeyMaker(function: function)
        let key = keys.transaction(endpoint, transaction)
        return view(pointedAtBy: key, keys, endpoint, .holds(transaction))
    }

    /// The first of the wanted orders that a key leads to.
    private func view(
        pointedAtBy key: KeyHash, _ keys: KeyMaker, _ endpoint: UInt16, _ question: OrderQuestion
    ) -> OrderView? {
        var view: OrderView?
        forEachOrder(pointedAtBy: key, endpoint: endpoint, question) { found in
            if view != nil { return }
            let shard = keys.home(of: found, endpoint).shard
            view = self.view(decoded(found, shard: shard).blob)
        }
        return view
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
            endpoint: endpoints[blob.endpoint], order: blob.order, sequences: blob.sequences,
            laterCount: blob.later.count, laterLast: blob.later.last)
    }

    /// These bytes were written by `OrderBlob.encode`, here or under a snapshot's checksums.
    private func blob(_ bytes: ArraySlice<UInt8>) -> OrderBlob {
        guard let blob = OrderBlob(bytes) else { Self.refuseDamage() }
        return blob
    }

    private func order(
        _ shard: Int, _ table: OrderTable, tag: UInt32, endpoint: UInt16,
        _ question: OrderQuestion,
        except isKnown: (Int, BlobArena.Address) -> Bool = { _, _ in false }
    ) -> FoundOrder? {
        var found: FoundOrder?
        _ = shards[shard][table].first(tag: tag) { value in
            let address = BlobArena.Address(value)
            if isKnown(shard, address) { return false }
            let bytes = shards[shard].arena.bytes(at: address)
            guard let head = OrderBlob.endpoint(of: bytes), head.number == endpoint else {
                return false
            }
            if head.isFull {
                guard case (var full, let parts)? = OrderBlob.full(bytes) else {
                    Self.refuseDamage()
                }
                guard question.isMet(by: full, EncodedOrder(parts.order)) else { return false }
                full.address = address
                found = .full(full)
            } else {
                let blob = blob(bytes)
                guard question.isMet(by: blob.order) else { return false }
                found = .open(StoredOrder(blob: blob, address: address))
            }
            return true
        }
        return found
    }

    private static func refuseDamage() -> Never { preconditionFailure("a damaged order in memory") }
}
