import Payments

/// The changes of a batch, laid over a store's memory until the batch is durable.
///
/// `decide` looks at the batch, then at the memory, and changes nothing; `accept` adds a decision
/// to the batch; `apply` writes the batch into the memory. A batch that could not be made durable
/// is dropped. Queries see the memory only, hence only what is durable.
package struct PendingBatch {
    /// The events of this batch, which are not durable yet.
    private var events: [KeyHash: KnownEvent] = [:]
    private var orders: [KeyHash: StoredOrder] = [:]
    /// Full orders that got only records in this batch, with their new counts.
    private var fullOrders: [KeyHash: FullOrder] = [:]
    /// The ids and references that this batch lets lead to an order: their keys, and the order's.
    private var pointers: [KeyHash: KeyHash] = [:]
    /// More of these, where one id leads to several orders: nearly always empty.
    private var otherPointers: [KeyHash: [KeyHash]] = [:]
    /// The newest record of the batch, and when it was received.
    private var newest: (sequence: UInt64, received: Timestamp)?
    /// The values that `accept` has replaced since `mark()`; nil without a mark.
    private var replaced: Replaced?
    package var keys: KeyMaker
    /// Most facts that one order holds.
    let factsMax: Int

    package init(function: SipHash, factsMax: Int) {
        keys = KeyMaker(function: function)
        self.factsMax = factsMax
    }

    package var isEmpty: Bool { newest == nil }

    /// Returns what is remembered of an event, durable or pending.
    func event(_ key: KeyHash, in memory: borrowing some LedgerMemory) -> KnownEvent? {
        if let event = events[key] { return event }
        return memory.event(key)
    }

    /// Returns the order under the key of its reference, as after the batch so far.
    func order(
        _ key: KeyHash, named reference: String, endpoint: UInt16,
        in memory: borrowing some LedgerMemory
    ) -> FoundOrder? {
        if let order = orders[key] { return order.isRemoved ? nil : found(order, key) }
        return memory.order(key, named: reference, endpoint: endpoint).map { latest($0, key) }
    }

    /// Adds the wanted orders that the key of an id or of a reference leads to, with their own
    /// keys, each once.
    package func collect(
        _ found: inout [(key: KeyHash, order: FoundOrder)], by pointer: KeyHash,
        _ endpoint: UInt16, in memory: borrowing some LedgerMemory, _ question: OrderQuestion
    ) {
        func add(_ key: KeyHash, _ stored: StoredOrder) {
            if stored.isRemoved || found.contains(where: { $0.key == key }) { return }
            if question.isMet(by: stored.order) { found.append((key, self.found(stored, key))) }
        }
        if let key = pointers[pointer], let order = orders[key] { add(key, order) }
        for key in otherPointers[pointer] ?? [] {
            if let order = orders[key] { add(key, order) }
        }
        let known = found.compactMap(\.order.address)
        memory.forEachOrder(
            pointedAtBy: pointer, endpoint: endpoint, question, except: { known.contains($0) },
            { stored in
                let key = keys.key(of: stored, endpoint)
                // One that this batch has moved is found by its new pointers, above.
                if let order = orders[key] { return add(key, order) }
                if found.contains(where: { $0.key == key }) { return }
                found.append((key, latest(stored, key)))
            })
    }

    /// Returns the order with its facts.
    func decoded(
        _ full: FullOrder, _ key: KeyHash, in memory: borrowing some LedgerMemory
    ) -> StoredOrder {
        guard var order = orders[key] else {
            var order = memory.decoded(full)
            order.later = full.later
            return order
        }
        order.later = full.later
        return order
    }

    private func found(_ stored: StoredOrder, _ key: KeyHash) -> FoundOrder {
        stored.order.isFull ? .full(fullOrders[key] ?? FullOrder(stored)) : .open(stored)
    }

    /// Returns an order of the memory with the records of this batch.
    private func latest(_ found: FoundOrder, _ key: KeyHash) -> FoundOrder {
        guard case .full = found, let full = fullOrders[key] else { return found }
        return .full(full)
    }

    /// Adds a decision to the batch.
    package mutating func accept(_ change: consuming EventChange, received: Timestamp) {
        newest = (change.event.sequence, received)
        if replaced != nil { noteReplaced(by: change) }
        events[change.key] = change.event
        if let (key, full) = change.full { fullOrders[key] = full }
        guard let place = change.place.take() else { return }
        accept(place)
    }

    /// Adds an order to the batch, under the key where it is kept from now on.
    package mutating func accept(_ place: consuming OrderPlace) {
        for (pointer, order) in place.pointers {
            if let other = pointers.updateValue(order, forKey: pointer), other != order {
                otherPointers[pointer, default: []].append(other)
            }
        }
        for (key, removed) in place.moved {
            orders[key] = removed
            fullOrders[key] = nil
        }
        keep(place.stored, under: place.key)
        for other in place.others { keep(other.stored, under: other.key) }
    }

    private mutating func keep(_ stored: StoredOrder, under key: KeyHash) {
        var order = stored
        // The order that this batch moved away from the key still has its address in the memory.
        if order.address == nil, let before = orders[key] { order.address = before.address }
        orders[key] = order
        // The order has the count of records now.
        fullOrders[key] = nil
    }

    /// Notes what the batch has now, so that what is accepted from here on can be taken back.
    package mutating func mark() {
        replaced = Replaced(newest: newest, otherPointers: otherPointers)
    }

    /// Keeps what was accepted since `mark()`.
    package mutating func keepMarked() {
        replaced = nil
    }

    /// Takes back what was accepted since `mark()`.
    package mutating func takeBackMarked() {
        guard let replaced else { return }
        // The first value that was noted under a key is the one that it had.
        for (key, event) in replaced.events.reversed() { events[key] = event }
        for (key, order) in replaced.orders.reversed() { orders[key] = order }
        for (key, order) in replaced.fullOrders.reversed() { fullOrders[key] = order }
        for (pointer, order) in replaced.pointers.reversed() { pointers[pointer] = order }
        otherPointers = replaced.otherPointers
        newest = replaced.newest
        self.replaced = nil
    }

    private mutating func noteReplaced(by change: borrowing EventChange) {
        replaced?.events.append((change.key, events[change.key]))
        if let (key, _) = change.full { replaced?.fullOrders.append((key, fullOrders[key])) }
        switch change.place {
        case .some(let place):
            for (pointer, _) in place.pointers {
                replaced?.pointers.append((pointer, pointers[pointer]))
            }
            for (key, _) in place.moved { noteReplacedOrder(key) }
            noteReplacedOrder(place.key)
            for other in place.others { noteReplacedOrder(other.key) }
        case .none: break
        }
    }

    private mutating func noteReplacedOrder(_ key: KeyHash) {
        replaced?.orders.append((key, orders[key]))
        replaced?.fullOrders.append((key, fullOrders[key]))
    }

    /// Writes everything into the store's memory and begins the next batch.
    package mutating func apply(to memory: inout some LedgerChanges) {
        for (key, event) in events { memory.remember(key, event) }
        for (key, full) in fullOrders {
            if orders[key] == nil { memory.updateLater(of: full, under: key) }
        }
        for (key, var order) in orders {
            if let full = fullOrders[key] { order.later = full.later }
            memory.store(order, under: key)
        }
        for (pointer, order) in pointers { memory.attach(pointer, to: order) }
        for (pointer, orders) in otherPointers {
            for order in orders { memory.attach(pointer, to: order) }
        }
        if let newest { memory.advance(to: newest.sequence, received: newest.received) }
        drop()
    }

    /// Forgets the batch.
    package mutating func drop() {
        events.removeAll(keepingCapacity: true)
        orders.removeAll(keepingCapacity: true)
        fullOrders.removeAll(keepingCapacity: true)
        pointers.removeAll(keepingCapacity: true)
        otherPointers.removeAll()
        newest = nil
        replaced = nil
    }

    /// The values before the decisions that are taken back, in the order of the replacements; nil
    /// where there was none.
    private struct Replaced {
        let newest: (sequence: UInt64, received: Timestamp)?
        let otherPointers: [KeyHash: [KeyHash]]
        var events: [(KeyHash, KnownEvent?)] = []
        var orders: [(KeyHash, StoredOrder?)] = []
        var fullOrders: [(KeyHash, FullOrder?)] = []
        var pointers: [(KeyHash, KeyHash?)] = []
    }
}

extension LedgerChanges {
    /// Writes the decision on a record that is durable already, without a batch.
    package mutating func apply(_ change: consuming EventChange) {
        remember(change.key, change.event)
        if let (key, full) = change.full { updateLater(of: full, under: key) }
        guard let place = change.place.take() else { return }
        for (key, removed) in place.moved { store(removed, under: key) }
        store(place.stored, under: place.key)
        for other in place.others { store(other.stored, under: other.key) }
        for (pointer, order) in place.pointers { attach(pointer, to: order) }
    }
}
