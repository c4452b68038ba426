import Journal
import Ledger
import Payments
import Records
import Store

/// The content of a journal's newest good snapshot: events, orders and the keys of both, to be
/// moved to another store when the journal's beginning is gone.
package struct JournalMemory: Sendable {
    private let tables: StoreTables

    /// The last record that it covers.
    package var sequence: UInt64 { tables.sequence }
    package var function: SipHash { tables.function }
    /// The names, by their numbers.
    package var endpoints: [String] { tables.endpoints.names }
    package var eventCount: Int { tables.eventCount }
    package var orderCount: Int { tables.orderCount }

    /// The records that were erased.
    package var erased: ErasedRecords { tables.erased }

    /// When records were received, about a day apart.
    package var ages: [(sequence: UInt64, received: Timestamp)] {
        tables.ages.marks.map { ($0.sequence, $0.received) }
    }

    /// Nil when there is no good snapshot. Throws `JournalError.unusable`.
    package init?(directory: String) throws {
        var found: StoreTables?
        for sequence in try SnapshotFile.list(directory: directory) where found == nil {
            guard
                case .success(let snapshot) = try SnapshotFile.read(
                    directory: directory, sequence: sequence)
            else { continue }
            var reader = TablesReader(factsMax: nil)
            try snapshot.forEachChunk { reader.read($0, $1) }
            if let tables = reader.finish(), tables.sequence == sequence { found = tables }
        }
        guard let found else { return nil }
        tables = found
    }

    /// Writes it as a snapshot of another journal with the same sequences, which ends with the
    /// snapshot's record now. Throws `JournalError`.
    func write(to journal: JournalWriter) throws(JournalError) {
        try Self.write(tables, to: journal)
    }

    fileprivate static func write(
        _ tables: StoreTables, to journal: JournalWriter
    ) throws(JournalError) {
        guard let point = journal.snapshotPoint, point.sequence == tables.sequence else {
            preconditionFailure("a snapshot of another point")
        }
        let writer = try journal.maintenance.snapshot(of: point)
        var content = TablesWriter(tables, to: writer)
        try content.write()
        try writer.finish()
    }

    /// Calls `visit` with every remembered event, in no order.
    package func forEachEvent(_ visit: (KeyHash, KnownEvent) throws -> Void) rethrows {
        for shard in tables.shards { try shard.events.forEach(visit) }
    }

    /// Calls `visit` with every order and its key, in no order.
    package func forEachOrder(_ visit: (KeyHash, StoredOrder) throws -> Void) rethrows {
        let keys = KeyMaker(function: function)
        for shard in tables.shards {
            for table in [OrderTable.named, .unjoined] {
                for value in shard[table].values {
                    let bytes = shard.arena.bytes(at: BlobArena.Address(value))
                    guard let stored = StoredOrder(bytes) else {
                        preconditionFailure("a damaged order in memory")
                    }
                    try visit(keys.key(of: stored.order, stored.endpoint), stored)
                }
            }
        }
    }

    /// Returns the key of the order that a record's names lead to now; nil when there is none.
    package func orderKey(
        endpoint: String, reference: String?, transaction: String?
    ) -> KeyHash? {
        guard let number = tables.endpoints.known(endpoint) else { return nil }
        var view = reference.flatMap { tables.order(endpoint: endpoint, reference: $0) }
        if view == nil {
            view = transaction.flatMap { tables.order(endpoint: endpoint, transaction: $0) }
        }
        return view.map { KeyMaker(function: function).key(of: $0.order, number) }
    }
}

/// Builds a snapshot of another store's memory, for a journal without its beginning.
package struct SnapshotBuilder {
    private var tables: StoreTables
    private let keys: KeyMaker

    /// - Parameters:
    ///   - endpoints: The names, by their numbers; nil is returned when one appears twice.
    ///   - sequence: The last record that it covers.
    package init?(function: SipHash, endpoints: [String], sequence: UInt64) {
        guard let names = EndpointNames(endpoints) else { return nil }
        tables = StoreTables(function: function)
        tables.endpoints = names
        tables.sequence = sequence
        keys = KeyMaker(function: function)
    }

    package mutating func remember(_ key: KeyHash, _ event: KnownEvent) {
        tables.remember(key, event)
    }

    package mutating func add(_ order: StoredOrder, under key: KeyHash) {
        tables.store(order, under: key)
        for pointer in keys.pointers(to: order) { tables.attach(pointer, to: key) }
    }

    /// Notes when a record was received; to be called in rising order.
    package mutating func note(_ sequence: UInt64, received: Timestamp) {
        tables.ages.note(sequence, received: received)
    }

    /// Writes it beside the journal. Throws `JournalError`.
    package func write(to journal: JournalWriter) throws(JournalError) {
        try JournalMemory.write(tables, to: journal)
    }
}
