import Ledger
import Payments
import PostgreSQL
import Records
import Store

/// The changes of a batch, as columns of the statements that write them.
struct BatchChanges {
    /// Columns of an order's row that do not follow from the order itself.
    private struct Remark {
        var transaction: String?
        var metadata: String?
    }

    private(set) var records: [[UInt8]] = []
    private let first: UInt64
    private let loaded: WorkingSet
    private var remarks: [KeyHash: Remark] = [:]
    /// When each record of the batch was received.
    private var received: [Timestamp] = []

    private var events = EventColumns()
    private var newIdentities = IdentityColumns(areNew: true)
    private var identities = IdentityColumns(areNew: false)
    private var plainOrders = OrderColumns(.plain)
    private var newOrders = OrderColumns(.new)
    private var orders = OrderColumns(.known)
    private var removed = Column(.uuid)
    private var later = LaterColumns()
    private var newAliases = AliasColumns(areNew: true)
    private var aliases = AliasColumns(areNew: false)

    /// - Parameter first: The sequence of the batch's first record.
    init(first: UInt64, over loaded: WorkingSet) {
        self.first = first
        self.loaded = loaded
    }

    var isEmpty: Bool { records.isEmpty }
    var last: UInt64 { first + UInt64(records.count) - 1 }

    /// Adds a record, and remarks on its order from the change.
    mutating func append(
        _ record: [UInt8], _ change: borrowing EventChange, _ endpoint: UInt16,
        received: Timestamp, metadata: [UInt8] = []
    ) {
        events.append(
            change.content.sequence, received, endpoint, change.content.outcome, record)
        records.append(record)
        self.received.append(received)
        guard let key = change.orderKey else { return }
        if let transaction = change.content.order?.transaction {
            remarks[key, default: Remark()].transaction = transaction
        }
        if !metadata.isEmpty {
            remarks[key, default: Remark()].metadata = String(decoding: metadata, as: UTF8.self)
        }
    }

    /// Adds a record of a journal with its own bytes.
    mutating func append(imported record: [UInt8], _ event: RecordedEvent, _ endpoint: UInt16) {
        events.append(event.sequence, event.received, endpoint, event.outcome, record)
        records.append(record)
        received.append(event.received)
    }

    /// Notes columns of the order that only the record has.
    mutating func remark(_ change: borrowing EventChange, of event: RecordedEvent) {
        guard let key = change.orderKey else { return }
        if let transaction = change.transaction(after: event.notification) {
            remarks[key, default: Remark()].transaction = transaction
        }
        if let metadata = event.registered?.metadata, !metadata.isEmpty {
            remarks[key, default: Remark()].metadata = String(decoding: metadata, as: UTF8.self)
        }
    }

    private func received(_ sequence: UInt64) -> Timestamp? {
        guard sequence >= first, sequence <= last else { return nil }
        return received[Int(sequence - first)]
    }

    /// The statements that write the decisions, without the commit.
    ///
    /// - Parameters:
    ///   - head: The chain's hash before the batch.
    ///   - channel: The channel on which readers are notified of the batch; nil to notify them
    ///     later.
    func commands(after head: [UInt8], channel: String?) -> [Command] {
        guard !isEmpty else { return [] }
        let chain = RecordChain.hash(after: head, first: first, records)
        var commands = [events.command]
        if !newIdentities.isEmpty { commands.append(newIdentities.command) }
        if !identities.isEmpty { commands.append(identities.command) }
        if !removed.isEmpty { commands.append(Command(Self.remove).with(removed)) }
        if !plainOrders.isEmpty { commands.append(plainOrders.command) }
        if !newOrders.isEmpty { commands.append(newOrders.command) }
        if !orders.isEmpty { commands.append(orders.command) }
        if !later.isEmpty { commands.append(later.command) }
        if !newAliases.isEmpty { commands.append(newAliases.command) }
        if !aliases.isEmpty { commands.append(aliases.command) }
        let note = Command(channel == nil ? Self.quietNote : Self.note)
            .with(Int64(first)).with(Int64(records.count)).with(chain)
        commands.append(channel.map { note.with($0) } ?? note)
        commands.append(Command(Self.advance).with(Int64(last)).with(chain))
        return commands
    }

    private static let remove = Statement(
        name: "remove", sql: "DELETE FROM order_state WHERE key = ANY($1)")
    /// Notes the batch and notifies readers; a separate statement would cost as much as a row.
    private static let note = Statement(
        name: "note",
        sql: """
            WITH noted AS (INSERT INTO batch (first, count, chain) VALUES ($1, $2, $3))
            SELECT pg_notify($4, '')
            """)
    private static let quietNote = Statement(
        name: "quiet_note", sql: "INSERT INTO batch (first, count, chain) VALUES ($1, $2, $3)")
    private static let advance = Statement(
        name: "advance", sql: "UPDATE head SET sequence = $1, chain = $2")
}

extension BatchChanges: LedgerChanges {
    mutating func remember(_ key: KeyHash, _ event: KnownEvent) {
        if loaded.isNewEvent(key) {
            newIdentities.append(key, event)
        } else {
            identities.append(key, event)
        }
    }

    mutating func store(_ order: StoredOrder, under key: KeyHash) {
        let row = loaded.row(key)
        if order.isRemoved {
            if row != nil { removed.append(key) }
            return
        }
        // The order may have been stored elsewhere before, or in several places.
        let oldest = order.sequences.first ?? last
        let first = min(Int64(oldest), row?.first ?? .max)
        let created =
            loaded.rows.first { $0.first == first }?.created
            ?? (received(UInt64(first)) ?? received(last))?.microseconds ?? 0
        let newest = max(order.sequences.last ?? 0, order.later.last)
        let updated = received(newest)?.microseconds ?? created
        let (transaction, metadata) = (remarks[key]?.transaction, remarks[key]?.metadata)
        func append(to columns: inout OrderColumns) {
            columns.append(
                key, order, first: first, created: created, last: newest, updated: updated,
                transaction: transaction, metadata: metadata)
        }
        if !loaded.isNewOrder(key) {
            append(to: &orders)
        } else if OrderColumns.isPlain(order, metadata: metadata) {
            append(to: &plainOrders)
        } else {
            append(to: &newOrders)
        }
    }

    mutating func updateLater(of full: FullOrder, under key: KeyHash) {
        later.append(key, full.later, updated: received(full.later.last)?.microseconds ?? 0)
    }

    mutating func attach(_ pointer: KeyHash, to order: KeyHash) {
        if loaded.isNewAlias(pointer, of: order) {
            newAliases.append(pointer, order)
        } else {
            aliases.append(pointer, order)
        }
    }

    mutating func advance(to sequence: UInt64, received: Timestamp) {}
}

extension EventChange {
    /// The key of the order that the event is about.
    fileprivate var orderKey: KeyHash? {
        if let full { return full.key }
        switch place {
        case .some(let place): return place.key
        case .none: return nil
        }
    }

    /// The transaction of the event's record; for an order without a reference, the id under which
    /// it is stored.
    fileprivate func transaction(after notification: Notification) -> String? {
        if let full { return full.order.isUnjoined ? full.order.name : notification.transaction }
        switch place {
        case .some(let place):
            let order = place.order
            return order.reference == nil ? order.leastID : notification.transaction
        case .none: return nil
        }
    }
}

extension Column {
    mutating func append(_ key: KeyHash) { append(high: key.high, low: key.low) }
}
