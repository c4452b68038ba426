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
    /// Transactions that this batch attaches to an order, by the transaction's key.
    private var transactions: [KeyHash: KeyHash] = [:]
    /// When the newest record of the batch was received.
    private var newest: AgeMarks.Mark?
    var keys: KeyMaker

    init(function: SipHash) { keys = KeyMaker(function: function) }

    var isEmpty: Bool { newest == nil }

    /// What is known of an event, durable or pending.
    func event(_ key: KeyHash, in tables: borrowing StoreTables) -> DedupTable.Entry? {
        events[key] ?? tables.event(key)
    }

    /// The wanted order under `key`, as it will be after the batch so far.
    func order(
        _ key: KeyHash, _ table: OrderTable, endpoint: UInt16, in tables: borrowing StoreTables,
        where isWanted: (Order) -> Bool
    ) -> StoredOrder? {
        if let order = orders[key] { return order.isRemoved ? nil : order }
        return tables.order(key, in: table, endpoint: endpoint, where: isWanted)
    }

    /// The order with a reference that holds `transaction`, and its key.
    mutating func order(
        holding transaction: String, _ key: KeyHash, endpoint: UInt16,
        in tables: borrowing StoreTables
    ) -> (KeyHash, StoredOrder)? {
        if let orderKey = transactions[key], let order = orders[orderKey] {
            return (orderKey, order)
        }
        guard let stored = tables.order(holding: transaction, key, endpoint: endpoint),
            let reference = stored.blob.order.reference
        else { return nil }
        let orderKey = keys.reference(endpoint, reference)
        return (orderKey, orders[orderKey] ?? stored)
    }

    /// Takes a decision into the batch.
    mutating func accept(_ change: consuming EventChange, received: Timestamp) {
        newest = AgeMarks.Mark(sequence: change.entry.sequence, received: received)
        events[change.key] = change.entry
        guard let place = change.place.take() else { return }
        if let transaction = place.transaction { transactions[transaction] = place.key }
        if let (key, joined) = place.joined { orders[key] = joined }
        orders[place.key] = place.order
    }

    /// Writes everything into the tables and begins the next batch.
    mutating func apply(to tables: inout StoreTables) {
        for (key, entry) in events { tables.remember(key, entry) }
        for (key, order) in orders { tables.store(order, under: key) }
        for (transaction, order) in transactions { tables.attach(transaction, to: order) }
        if let newest { tables.note(newest.sequence, received: newest.received) }
        drop()
    }

    /// Forgets the batch.
    mutating func drop() {
        events.removeAll(keepingCapacity: true)
        orders.removeAll(keepingCapacity: true)
        transactions.removeAll(keepingCapacity: true)
        newest = nil
    }
}
