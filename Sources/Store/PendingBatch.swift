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
    var keys: KeyMaker
    /// When the newest record of the batch was received.
    private var newest: AgeMarks.Mark?

    init(function: SipHash) { keys = KeyMaker(function: function) }

    var isEmpty: Bool { newest == nil }

    /// What a notification means, given everything before it.
    mutating func decide(
        _ notification: Notification, endpoint: UInt16, sequence: UInt64,
        in tables: borrowing StoreTables
    ) -> EventDecision {
        let content = keys.content(of: notification)
        let entry = DedupTable.Entry(
            sequence: sequence,
            fingerprint: UInt32(truncatingIfNeeded: content.low) & DedupTable.fingerprintMask)
        let key = keys.event(endpoint, id: notification.id)
        guard let known = find(key, in: tables) else {
            return decideNew(notification, endpoint: endpoint, key: key, entry: entry, in: tables)
        }
        if known.fingerprint == entry.fingerprint { return .duplicate(of: known.sequence) }
        let conflictKey = keys.conflict(endpoint, id: notification.id, content: content)
        if let repeated = find(conflictKey, in: tables) { return .duplicate(of: repeated.sequence) }
        return .record(
            conflict(
                notification, endpoint: endpoint, key: conflictKey, entry: entry,
                with: known.sequence, in: tables))
    }

    /// What a record of the journal means. Duplicates are never recorded, so it is applied as its
    /// outcome says; what a snapshot knows already is found again and stays as it is.
    mutating func decide(
        _ record: RecordedEvent, endpoint: UInt16, in tables: borrowing StoreTables
    ) -> EventChange {
        if let registered = record.registered, let reference = record.notification.reference {
            return register(
                registered, reference: reference, endpoint: endpoint, sequence: record.sequence,
                in: tables)
        }
        let notification = record.notification
        let content = keys.content(of: notification)
        let entry = DedupTable.Entry(
            sequence: record.sequence,
            fingerprint: UInt32(truncatingIfNeeded: content.low) & DedupTable.fingerprintMask)
        if let original = record.conflictsWith {
            let key = keys.conflict(endpoint, id: notification.id, content: content)
            return conflict(
                notification, endpoint: endpoint, key: key, entry: entry, with: original, in: tables
            )
        }
        let key = keys.event(endpoint, id: notification.id)
        if record.outcome == .ignored { return EventChange(.ignored, key: key, entry: entry) }
        return apply(notification, endpoint: endpoint, key: key, entry: entry, in: tables)
    }

    /// Whether the record with `sequence` belongs to this batch, and so is not durable yet.
    func holds(_ sequence: UInt64, in tables: borrowing StoreTables) -> Bool {
        sequence > tables.sequence
    }

    /// Takes a decision into the batch.
    mutating func accept(_ change: EventChange, received: Timestamp) {
        events[change.key] = change.entry
        for (key, order) in change.orders { orders[key] = order }
        if let (transaction, order) = change.transaction { transactions[transaction] = order }
        newest = AgeMarks.Mark(sequence: change.entry.sequence, received: received)
    }

    /// Writes everything into the tables and begins the next batch.
    mutating func apply(to tables: inout StoreTables) {
        for (key, entry) in events { tables.remember(key, entry) }
        for (key, order) in orders { tables.store(order, under: key) }
        for (transaction, order) in transactions { tables.attach(transaction, to: order) }
        if let newest {
            tables.sequence = max(tables.sequence, newest.sequence)
            tables.ages.note(newest.sequence, received: newest.received)
        }
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

extension PendingBatch {
    func find(_ key: KeyHash, in tables: borrowing StoreTables) -> DedupTable.Entry? {
        events[key] ?? tables.event(key)
    }

    private mutating func decideNew(
        _ notification: Notification, endpoint: UInt16, key: KeyHash, entry: DedupTable.Entry,
        in tables: borrowing StoreTables
    ) -> EventDecision {
        if case .none = notification.effect {
            return .record(EventChange(.ignored, flags: notification.flags, key: key, entry: entry))
        }
        guard notification.namesOrder else {
            // It changes an order, but names none: kept in the journal for people to see.
            let flags = FlagSet(notification.flags + [.unjoined])
            return .record(EventChange(.ignored, flags: flags.list, key: key, entry: entry))
        }
        return .record(
            apply(notification, endpoint: endpoint, key: key, entry: entry, in: tables))
    }

    /// The order rules, on the order that the notification names.
    private mutating func apply(
        _ notification: Notification, endpoint: UInt16, key: KeyHash, entry: DedupTable.Entry,
        in tables: borrowing StoreTables
    ) -> EventChange {
        var place = resolve(notification, endpoint: endpoint, in: tables)
        let previous = place.isNew ? nil : place.order.blob.order.status
        let contradicted = place.order.blob.order.contradictsExpectation
        place.order.blob.order.apply(notification)
        place.order.blob.add(entry.sequence)
        let summary = place.order.blob.order.summary
        // The only conflict that the order rules find by themselves: another amount than the
        // merchant's.
        let contradicts = place.order.blob.order.contradictsExpectation
        return change(
            contradicts && !contradicted ? .conflict : .recorded, notification, place,
            previous: previous,
            summary: summary, key: key, entry: entry)
    }

    /// The first event of this identity stands; this one only flags the order that it names.
    private mutating func conflict(
        _ notification: Notification, endpoint: UInt16, key: KeyHash, entry: DedupTable.Entry,
        with original: UInt64, in tables: borrowing StoreTables
    ) -> EventChange {
        guard notification.namesOrder else {
            let flags = FlagSet(notification.flags + [.conflict])
            var change = EventChange(.conflict, flags: flags.list, key: key, entry: entry)
            change.conflictsWith = original
            return change
        }
        var place = resolve(notification, endpoint: endpoint, in: tables)
        let previous = place.isNew ? nil : place.order.blob.order.status
        place.order.blob.order = place.order.blob.order.markingConflict()
        place.order.blob.add(entry.sequence)
        var change = change(
            .conflict, notification, place, previous: previous,
            summary: place.order.blob.order.summary, key: key, entry: entry)
        change.conflictsWith = original
        return change
    }

    func change(
        _ outcome: RecordOutcome, _ notification: Notification, _ place: OrderPlace,
        previous: OrderStatus?, summary: OrderSummary, key: KeyHash, entry: DedupTable.Entry
    ) -> EventChange {
        var flags = summary.flags
        if !notification.flags.isEmpty {
            var set = FlagSet(flags)
            set.formUnion(FlagSet(notification.flags))
            flags = set.list
        }
        var change = EventChange(outcome, flags: flags, key: key, entry: entry)
        change.order = OrderChange(
            reference: place.order.blob.order.reference, transaction: notification.transaction,
            previous: previous, summary: summary)
        change.orders.append((place.key, place.order))
        if let joined = place.joined { change.orders.append(joined) }
        change.transaction = place.transaction
        return change
    }
}

extension PendingBatch {
    /// The order that a notification names, found or made.
    ///
    /// | names | order | |---|---| | reference | that order; what was kept under the transaction,
    /// if anything, is joined to it | | transaction only, known | the order that holds the
    /// transaction | | transaction only, unknown | a new one, kept under the transaction until a
    /// reference comes |
    mutating func resolve(
        _ notification: Notification, endpoint: UInt16, in tables: borrowing StoreTables
    ) -> OrderPlace {
        let transaction = notification.transaction.flatMap { $0.isEmpty ? nil : $0 }
        guard let reference = notification.reference else {
            return resolve(transaction: transaction ?? "", endpoint: endpoint, in: tables)
        }
        let key = keys.reference(endpoint, reference)
        let found = load(key, endpoint: endpoint, in: tables) { $0.isNamed(reference) }
        var place = OrderPlace(
            key: key,
            order: found
                ?? StoredOrder(
                    blob: OrderBlob(endpoint: endpoint, order: Order(reference: reference))),
            isNew: found == nil)
        guard let transaction, !place.order.blob.order.holds(transaction) else { return place }
        let transactionKey = keys.transaction(endpoint, transaction)
        if var unjoined = load(
            transactionKey, endpoint: endpoint, in: tables,
            where: {
                $0.reference == nil && $0.holds(transaction)
            })
        {
            place.order.blob.merge(unjoined.blob)
            unjoined.isRemoved = true
            place.joined = (transactionKey, unjoined)
            place.isNew = false
        }
        // A transaction that another reference holds already stays there: the first stands.
        if holder(of: transaction, transactionKey, endpoint: endpoint, in: tables) == nil {
            place.transaction = (transactionKey, key)
        }
        return place
    }

    private mutating func resolve(
        transaction: String, endpoint: UInt16, in tables: borrowing StoreTables
    ) -> OrderPlace {
        let key = keys.transaction(endpoint, transaction)
        if let (orderKey, order) = holder(of: transaction, key, endpoint: endpoint, in: tables) {
            return OrderPlace(key: orderKey, order: order, isNew: false)
        }
        let unjoined = load(key, endpoint: endpoint, in: tables) {
            $0.reference == nil && $0.holds(transaction)
        }
        return OrderPlace(
            key: key,
            order: unjoined
                ?? StoredOrder(
                    blob: OrderBlob(endpoint: endpoint, order: Order(unjoined: transaction))),
            isNew: unjoined == nil)
    }

    /// The order with a reference that holds `transaction`, and its key.
    private mutating func holder(
        of transaction: String, _ key: KeyHash, endpoint: UInt16, in tables: borrowing StoreTables
    ) -> (KeyHash, StoredOrder)? {
        if let orderKey = transactions[key], let order = orders[orderKey] {
            return (orderKey, order)
        }
        guard
            let stored = tables.order(holding: transaction, key, endpoint: endpoint),
            let reference = stored.blob.order.reference
        else { return nil }
        let orderKey = keys.reference(endpoint, reference)
        return (orderKey, orders[orderKey] ?? stored)
    }

    private func load(
        _ key: KeyHash, endpoint: UInt16, in tables: borrowing StoreTables,
        where isWanted: (Order) -> Bool
    ) -> StoredOrder? {
        if let order = orders[key] { return order.isRemoved ? nil : order }
        return tables.order(key, endpoint: endpoint, where: isWanted)
    }
}

extension Notification {
    /// Whether it says something about an order that it names.
    fileprivate var namesOrder: Bool {
        if case .none = effect { return false }
        return reference != nil || transaction != nil
    }
}
