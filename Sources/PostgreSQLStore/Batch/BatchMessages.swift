import Ledger
import Platform
import PostgreSQL

/// The messages of a batch's two round trips, for ``BatchTransaction`` and ``ImportBatch``.
enum BatchMessages {
    /// The state that was read under the lock of the head row.
    struct Locked {
        var sequence: UInt64
        var chain: [UInt8]
        var version: Int
        /// The version of the keys: `DatabaseKeys.version`.
        var keysVersion: Int64
        var loaded: WorkingSet
    }

    /// The first message, which locks the head and loads.
    static func beginning(loading keys: LedgerLookups) -> [Command] {
        [Command(begin), Command(lockHead)] + load(keys)
    }

    /// Reads the answer to the first message.
    static func locked(
        _ results: [PostgresResult], having keys: LedgerLookups
    ) throws(PostgresError) -> Locked {
        guard results[1].rowCount == 1 else { throw .unexpected("no row in head") }
        var locked = Locked(
            sequence: UInt64(clamping: try results[1].integer(0, 0)),
            chain: try results[1].bytes(0, 1), version: Int(try results[1].integer(0, 2)),
            keysVersion: try results[1].integer(0, 3), loaded: WorkingSet(keys))
        try add(results[2...], to: &locked.loaded)
        return locked
    }

    /// Sends the second message.
    static func sendCommit(
        _ commands: [Command], _ link: any DatabaseLink
    ) throws(BatchTransaction.Failure) {
        do throws(PostgresError) {
            try link.send(commands + [Command(commit)])
        } catch {
            throw .unsettled("\(error)")
        }
    }

    /// Receives the answer to the second message.
    static func awaitCommit(
        _ link: any DatabaseLink, until deadline: MonotonicTime
    ) throws(BatchTransaction.Failure) {
        let results: [PostgresResult]
        do throws(PostgresError) {
            results = try link.receive(until: deadline)
        } catch {
            // An ERROR, even of COMMIT itself, means that the server has rolled back.
            if case .statement = error { throw .failed(error) }
            throw .unsettled("\(error)")
        }
        if let warning = link.warning {
            throw .unsettled("COMMIT came with a warning: \(warning.message)")
        }
        guard results.last?.tag == "COMMIT" else {
            throw .unsettled("COMMIT was answered \(results.last?.tag ?? "nothing")")
        }
    }

    /// The statement for a kind without any key is also run, so that results have fixed positions.
    private static func load(_ keys: LedgerLookups) -> [Command] {
        [
            Command(loadEvents).with(column(keys.events)),
            Command(loadOrders).with(column(keys.orders)),
            Command(loadPointers).with(column(keys.pointers)),
        ]
    }

    private static func column(_ keys: Set<KeyHash>) -> Column {
        var column = Column(.uuid)
        for key in keys { column.append(key) }
        return column
    }

    private static func add(
        _ results: ArraySlice<PostgresResult>, to loaded: inout WorkingSet
    ) throws(PostgresError) {
        let first = results.startIndex
        let (events, orders, pointers) = (results[first], results[first + 1], results[first + 2])
        try add(events: events, to: &loaded)
        for row in 0..<orders.rowCount { loaded.add(try orders.order(row, from: 0)) }
        try add(pointers: pointers, to: &loaded)
    }

    private static func add(
        pointers: PostgresResult, to loaded: inout WorkingSet
    ) throws(PostgresError) {
        for row in 0..<pointers.rowCount {
            let alias = try pointers.key(row, 0)
            loaded.add(alias, of: try pointers.key(row, 1))
            // The order may have become part of another.
            guard !pointers.isNull(row, 2) else { continue }
            loaded.add(try pointers.order(row, from: 1), pointedAtBy: alias)
        }
    }

    private static func add(
        events: PostgresResult, to loaded: inout WorkingSet
    ) throws(PostgresError) {
        for row in 0..<events.rowCount {
            loaded.add(
                try events.key(row, 0),
                KnownEvent(
                    sequence: UInt64(clamping: try events.integer(row, 1)),
                    fingerprint: UInt32(truncatingIfNeeded: try events.integer(row, 2))))
        }
    }

    /// Maximum number of additional loads: one for a contradiction's identity, and one for each
    /// step from a moved order to the next.
    static let missedLoadsMax = Joining.depthMax + 2

    /// Loads the keys that decisions asked for in addition, under the same lock.
    static func loadMissed(
        _ loaded: inout WorkingSet, _ link: any DatabaseLink, until deadline: MonotonicTime
    ) throws(PostgresError) {
        let (missedEvents, missedPointers) = (loaded.missedEvents, loaded.missedPointers)
        if !missedEvents.isEmpty {
            let events = try link.run(
                Command(loadEvents).with(column(missedEvents)), until: deadline)
            try add(events: events, to: &loaded)
        }
        if !missedPointers.isEmpty {
            let pointers = try link.run(
                Command(loadPointers).with(column(missedPointers)), until: deadline)
            try add(pointers: pointers, to: &loaded)
        }
        loaded.noteMissedLoaded()
    }

    private static let begin = Statement(name: "begin", sql: "BEGIN")
    private static let commit = Statement(name: "commit", sql: "COMMIT")
    private static let lockHead = Statement(
        name: "head",
        sql: """
            SELECT sequence, chain, (SELECT version FROM meta),
                coalesce((SELECT version FROM sealing), 0) FROM head FOR UPDATE
            """)
    private static let loadEvents = Statement(
        name: "known",
        sql: "SELECT key, sequence, fingerprint FROM identity WHERE key = ANY($1)")
    private static let loadOrders = Statement(
        name: "named",
        sql: """
            SELECT key, facts, later_count, later_last, first, created
            FROM order_state WHERE key = ANY($1)
            """)
    private static let loadPointers = Statement(
        name: "pointed",
        sql: """
            SELECT alias.key, order_key, facts, later_count, later_last, first, created
            FROM alias LEFT JOIN order_state ON order_state.key = order_key
            WHERE alias.key = ANY($1)
            """)
}

extension PostgresResult {
    func key(_ row: Int, _ column: Int) throws(PostgresError) -> KeyHash {
        let (high, low) = try uuid(row, column)
        return KeyHash(low: low, high: high)
    }

    /// Reads a row of `order_state` from this column on.
    fileprivate func order(
        _ row: Int, from column: Int
    ) throws(PostgresError) -> WorkingSet.Row {
        var later = LaterRecords()
        later.count = UInt64(clamping: try integer(row, column + 2))
        later.last = UInt64(clamping: try integer(row, column + 3))
        let facts = try bytes(row, column + 1)
        guard StoredOrder(facts[...]) != nil else {
            throw .unexpected("an order whose facts cannot be read")
        }
        return WorkingSet.Row(
            key: try key(row, column), facts: facts, later: later,
            first: try integer(row, column + 4), created: try microseconds(row, column + 5))
    }
}
