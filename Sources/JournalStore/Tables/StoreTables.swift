import Ledger
import Payments
import Records
import Store

/// All that the store remembers of durable records. A value: a snapshot is a copy of it, which
/// costs nothing until a part of it is next written.
struct StoreTables: Sendable, Equatable {
    /// The hash of every key, under a secret. New tables get a new secret, and no hash ever leaves
    /// the process.
    let function: SipHash
    /// Most facts that one order holds. Which facts a full order holds follows from it.
    var factsMax: Int
    var endpoints = EndpointNames()
    var shards: [StoreShard]
    /// The last record that is applied; 0 when there is none.
    var sequence: UInt64 = 0
    var eventCount = 0
    var orderCount = 0
    /// When records were received, about once a day: the age of an event follows from its sequence.
    var ages = AgeMarks()
    /// The records that were erased.
    var erased = ErasedRecords([])
    /// Memory in which orders are encoded before they go to their arena.
    var scratch: [UInt8] = []

    init(function: SipHash, factsMax: Int = Order.factsMaxDefault) {
        self.function = function
        self.factsMax = factsMax
        shards = (0..<StoreShard.count).map(StoreShard.init(_:))
    }

    /// Reads the places where a decision on this notification will look. The return value is
    /// unused.
    ///
    /// With millions of orders each place is somewhere in main memory, and a decision waits for one
    /// after the other. The processor fetches many at once when nothing depends on them: so the
    /// committer prefetches the places of many notifications first.
    func prefetch(_ hashes: NotificationHashes) -> UInt64 {
        var sum = shards[hashes.event.shard].events.prefetch(hashes.event)
        if let key = hashes.reference {
            sum &+= shards[key.shard].orders.prefetch(tag: key.tag)
            sum &+= UInt64(shards[key.shard].arena.prefetch())
            // Of a new reference, and of a try.
            sum &+= shards[key.shard].pointers.prefetch(tag: key.pointerTag)
        }
        if let key = hashes.transaction {
            sum &+= shards[key.shard].pointers.prefetch(tag: key.pointerTag)
        }
        return sum
    }

    /// Looks an order up by its reference or one of its aliases, for queries.
    func order(endpoint name: String, reference: String) -> OrderView? {
        guard let endpoint = endpoints.known(name) else { return nil }
        let keys = KeyMaker(function: function)
        let key = keys.reference(endpoint, reference)
        if let found = order(key, named: reference, endpoint: endpoint) {
            return view(decoded(found))
        }
        return view(pointedAtBy: key, endpoint, .isKnown(reference, .alias))
    }

    /// Looks an order up by a provider id that it holds, for queries; one without a reference too.
    func order(endpoint name: String, transaction: String) -> OrderView? {
        guard let endpoint = endpoints.known(name) else { return nil }
        let keys = KeyMaker(function: function)
        let key = keys.transaction(endpoint, transaction)
        return view(pointedAtBy: key, endpoint, .holds(transaction))
    }

    /// Looks up the order without a reference that is kept under `id`; else as by a provider id.
    func order(endpoint name: String, unjoined id: String) -> OrderView? {
        guard let endpoint = endpoints.known(name) else { return nil }
        let key = KeyMaker(function: function).transaction(endpoint, id)
        var found: OrderView?
        forEachOrder(pointedAtBy: key, endpoint: endpoint, .holds(id), except: { _ in false }) {
            let view = self.view(decoded($0))
            if view.order.reference == nil, view.order.leastID.isExactly(id) { found = view }
        }
        return found ?? order(endpoint: name, transaction: id)
    }

    /// Looks up every order that a text leads to, in one endpoint or in all.
    func orders(knownAs text: String, endpoint name: String?) -> [OrderView] {
        let keys = KeyMaker(function: function)
        var found: [OrderView] = []
        for endpoint in endpoints.names where name.map({ $0.isExactly(endpoint) }) ?? true {
            guard let number = endpoints.known(endpoint) else { continue }
            let reference = keys.reference(number, text)
            if let order = order(reference, named: text, endpoint: number) {
                found.append(view(decoded(order)))
            }
            for (key, question) in [
                (reference, OrderQuestion.isKnown(text, .alias)),
                (keys.transaction(number, text), .holds(text)),
            ] {
                forEachOrder(pointedAtBy: key, endpoint: number, question, except: { _ in false }) {
                    found.append(view(decoded($0)))
                }
            }
        }
        return OrderView.unique(found)
    }

    /// Returns the first by reference of the wanted orders that a key leads to.
    private func view(
        pointedAtBy key: KeyHash, _ endpoint: UInt16, _ question: OrderQuestion
    ) -> OrderView? {
        var view: OrderView?
        forEachOrder(pointedAtBy: key, endpoint: endpoint, question, except: { _ in false }) {
            let next = self.view(decoded($0))
            if view.map({ next.order.precedes($0.order) }) ?? true { view = next }
        }
        return view
    }

    private func view(_ stored: StoredOrder) -> OrderView {
        OrderView(
            endpoint: endpoints[stored.endpoint], order: stored.order,
            sequences: stored.sequences, laterCount: stored.later.count,
            laterLast: stored.later.last, rivals: stored.rivals, parts: stored.partNames)
    }
}

extension StoreTables: LedgerMemory {
    func event(_ key: KeyHash) -> KnownEvent? { shards[key.shard].events.find(key) }

    func order(_ key: KeyHash, named reference: String, endpoint: UInt16) -> FoundOrder? {
        order(
            in: key.shard, .named, tag: key.tag, endpoint: endpoint, .isNamed(reference),
            except: { _ in false })
    }

    func forEachOrder(
        pointedAtBy key: KeyHash, endpoint: UInt16, _ question: OrderQuestion,
        except isKnown: (OrderAddress) -> Bool, _ visit: (FoundOrder) -> Void
    ) {
        var search = shards[key.shard].pointers.search(tag: key.pointerTag)
        while let locator = shards[key.shard].pointers.next(&search) {
            let shard = Int(locator >> 32)
            let tag = UInt32(truncatingIfNeeded: locator)
            visitOrder(.named, shard, tag)
            visitOrder(.unjoined, shard, tag)
        }
        func visitOrder(_ table: OrderTable, _ shard: Int, _ tag: UInt32) {
            let found = order(
                in: shard, table, tag: tag, endpoint: endpoint, question, except: isKnown)
            if let found { visit(found) }
        }
    }

    func decoded(_ full: FullOrder) -> StoredOrder {
        guard let address = full.address else {
            preconditionFailure("a full order that is not in the tables")
        }
        return stored(at: address)
    }

    /// The order that a lookup has found, with its facts.
    private func decoded(_ found: FoundOrder) -> StoredOrder {
        switch found {
        case .open(let order): order
        case .full(let full): decoded(full)
        }
    }

    /// These bytes were written by `StoredOrder.encode`, here or under a snapshot's checksums.
    private func stored(at address: OrderAddress) -> StoredOrder {
        let bytes = shards[address.shard].arena.bytes(at: address.blob)
        guard let stored = StoredOrder(bytes, address: address) else { Self.refuseDamage() }
        return stored
    }

    private func order(
        in shard: Int, _ table: OrderTable, tag: UInt32, endpoint: UInt16,
        _ question: OrderQuestion, except isKnown: (OrderAddress) -> Bool
    ) -> FoundOrder? {
        var search = search(shard, table, tag)
        while let value = next(&search, shard, table) {
            let address = OrderAddress(shard: shard, BlobArena.Address(value))
            if isKnown(address) { continue }
            let bytes = shards[shard].arena.bytes(at: address.blob)
            guard let head = StoredOrder.endpoint(of: bytes), head.number == endpoint else {
                continue
            }
            if head.isFull {
                guard case (var full, let parts)? = StoredOrder.full(bytes) else {
                    Self.refuseDamage()
                }
                guard question.isMet(by: full, EncodedOrder(parts.order)) else { continue }
                full.address = address
                return .full(full)
            }
            guard let order = StoredOrder(bytes, address: address) else { Self.refuseDamage() }
            if question.isMet(by: order.order) { return .open(order) }
        }
        return nil
    }

    // Each table is named, because the compiler copies the whole shard for `shards[shard][table]`.
    private func search(_ shard: Int, _ table: OrderTable, _ tag: UInt32) -> TagTable.Search {
        switch table {
        case .named: shards[shard].orders.search(tag: tag)
        case .unjoined: shards[shard].unjoined.search(tag: tag)
        }
    }

    private func next(
        _ search: inout TagTable.Search, _ shard: Int, _ table: OrderTable
    ) -> UInt64? {
        switch table {
        case .named: shards[shard].orders.next(&search)
        case .unjoined: shards[shard].unjoined.next(&search)
        }
    }

    private static func refuseDamage() -> Never { preconditionFailure("a damaged order in memory") }
}

extension OrderAddress {
    /// The address of a blob in the arena of a shard.
    init(shard: Int, _ blob: BlobArena.Address) { self = UInt64(shard) << 32 | UInt64(blob) }

    var shard: Int { Int(self >> 32) }
    var blob: BlobArena.Address { BlobArena.Address(truncatingIfNeeded: self) }
}

extension StoreTables {
    /// Looks an order up by one of its names, for queries.
    func order(_ key: OrderKey) -> OrderView? {
        switch key {
        case .reference(let endpoint, let reference):
            order(endpoint: endpoint, reference: reference)
        case .id(let endpoint, let id): order(endpoint: endpoint, transaction: id)
        case .unjoined(let endpoint, let id): order(endpoint: endpoint, unjoined: id)
        }
    }
}

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
