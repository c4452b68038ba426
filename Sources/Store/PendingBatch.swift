import Payments

/// What a batch would change, laid over the tables until its frame is durable.
///
/// `decide` looks through the overlay into the tables and changes nothing; `accept` takes a
/// decision into the overlay; `apply` writes the overlay into the tables. A batch whose frame found
/// no room is simply dropped, and queries see the tables only, hence only what is durable.
struct PendingBatch {
    /// The events of this batch: the `pending` ones of the dedup index.
    private var events: [KeyHash: DedupTable.Entry] = [:]
    private var orders: [KeyHash: StoredOrder] = [:]
    /// Full orders that got nothing in this batch but records: how many they have had.
    private var fullOrders: [KeyHash: FullOrder] = [:]
    /// The ids and references that this batch lets lead to an order: their keys, and the order's.
    private var pointers: [KeyHash: KeyHash] = [:]
    /// More of these, where one id leads to several orders: nearly always empty.
    private var otherPointers: [KeyHash: [KeyHash]] = [:]
    /// When the newest record of the batch was received.
    private var newest: AgeMarks.Mark?
    var keys: KeyMaker
    /// Most facts that one order holds.
    let factsMax: Int

    init(function: SipHash, factsMax: Int) {
        keys = KeyMaker(function: function)
        self.factsMax = factsMax
    }

    var isEmpty: Bool { newest == nil }

    /// What is known of an event, durable or pending.
    func event(_ key: KeyHash, in tables: borrowing StoreTables) -> DedupTable.Entry? {
        events[key] ?? tables.event(key)
    }

    /// The wanted order under `key`, as it will be after the batch so far.
    func order(
        _ key: KeyHash, _ table: OrderTable, endpoint: UInt16, in tables: borrowing StoreTables,
        _ question: OrderQuestion
    ) -> FoundOrder? {
        if let order = orders[key] { return order.isRemoved ? nil : found(order, key) }
        return tables.order(key, in: table, endpoint: endpoint, question).map { latest($0, key) }
    }

    /// Adds the wanted orders that the key of an id or of a reference leads to, with their own keys,
    /// each once.
    func collect(
        _ found: inout [(key: KeyHash, order: FoundOrder)], by pointer: KeyHash,
        _ endpoint: UInt16, in tables: borrowing StoreTables, _ question: OrderQuestion
    ) {
        func add(_ key: KeyHash, _ order: StoredOrder) {
            if order.isRemoved || found.contains(where: { $0.key == key }) { return }
            if question.isMet(by: order.blob.order) { found.append((key, self.found(order, key))) }
        }
        if let key = pointers[pointer], let order = orders[key] { add(key, order) }
        for key in otherPointers[pointer] ?? [] {
            if let order = orders[key] { add(key, order) }
        }
        let known = found.compactMap { found in found.order.address.map { (found.key.shard, $0) } }
        tables.forEachOrder(
            pointedAtBy: pointer, endpoint: endpoint, question,
            except: { shard, address in known.contains { $0 == (shard, address) } },
            { stored in
                let key = keys.home(of: stored, endpoint)
                // One that this batch has moved is found by its new pointers, above.
                if let order = orders[key] { return add(key, order) }
                if found.contains(where: { $0.key == key }) { return }
                found.append((key, latest(stored, key)))
            })
    }

    /// The order with its facts.
    func decoded(_ full: FullOrder, _ key: KeyHash, in tables: borrowing StoreTables) -> StoredOrder
    {
        guard var order = orders[key] else { return tables.decoded(.full(full), shard: key.shard) }
        order.blob.later = full.later
        return order
    }

    private func found(_ order: StoredOrder, _ key: KeyHash) -> FoundOrder {
        order.blob.order.isFull ? .full(fullOrders[key] ?? FullOrder(order)) : .open(order)
    }

    /// What the tables hold, with the records of this batch.
    private func latest(_ found: FoundOrder, _ key: KeyHash) -> FoundOrder {
        guard case .full = found, let full = fullOrders[key] else { return found }
        return .full(full)
    }

    /// Takes a decision into the batch.
    mutating func accept(_ change: consuming EventChange, received: Timestamp) {
        newest = AgeMarks.Mark(sequence: change.entry.sequence, received: received)
        events[change.key] = change.entry
        if let (key, full) = change.full { fullOrders[key] = full }
        guard let place = change.place.take() else { return }
        accept(place)
    }

    /// Takes an order into the batch, where it is to be kept from now on.
    mutating func accept(_ place: consuming OrderPlace) {
        for pointer in place.pointers {
            if let other = pointers.updateValue(place.key, forKey: pointer), other != place.key {
                otherPointers[pointer, default: []].append(other)
            }
        }
        for (key, removed) in place.moved {
            orders[key] = removed
            fullOrders[key] = nil
        }
        var order = place.order
        // What the same key held before this batch moved it away has its place in the tables still.
        if order.address == nil, let before = orders[place.key] { order.address = before.address }
        orders[place.key] = order
        // It has taken over how many records there were.
        fullOrders[place.key] = nil
    }

    /// Writes everything into the tables and begins the next batch.
    mutating func apply(to tables: inout StoreTables) {
        for (key, entry) in events { tables.remember(key, entry) }
        for (key, full) in fullOrders {
            if orders[key] == nil { tables.note(full, under: key) }
        }
        for (key, var order) in orders {
            if let full = fullOrders[key] { order.blob.later = full.later }
            tables.store(order, under: key)
        }
        for (pointer, order) in pointers { tables.attach(pointer, to: order) }
        for (pointer, orders) in otherPointers {
            for order in orders { tables.attach(pointer, to: order) }
        }
        if let newest { tables.note(newest.sequence, received: newest.received) }
        drop()
    }

    /// Forgets the batch.
    mutating func drop() {
        events.removeAll(keepingCapacity: true)
        orders.removeAll(keepingCapacity: true)
        fullOrders.removeAll(keepingCapacity: true)
        pointers.removeAll(keepingCapacity: true)
        otherPointers.removeAll()
        newest = nil
    }
}
