import Ledger
import Payments
import Platform
import PostgreSQL
import Records
import Store

/// One batch: lock the head, load, decide, write, commit, in two round trips.
///
/// Success is a COMMIT without a warning. A batch that has nothing to write locks the head and
/// commits all the same: what its answers refer to may be visible and not yet replicated, and only
/// a transaction that wrote something waits for the standby. (The lock of a row is written to the
/// log.)
struct BatchTransaction {
    /// What became of a batch that was committed.
    struct Outcome {
        /// In the order of the tasks.
        var receipts: [Receipt]
        /// The last sequence that is confirmed now, of other instances' batches too.
        var sequence: UInt64
        /// How many records were written.
        var recordCount: Int
        /// The orders that changed.
        var changed: [OrderName]
    }

    enum Failure: Error {
        /// It may have been committed or not.
        case unsettled(String)
        /// It was not committed.
        case failed(PostgresError)
        /// The tables are of another version now.
        case version(Int)
    }

    /// What is known under the lock of the head.
    struct Locked {
        var sequence: UInt64
        var chain: [UInt8]
        var version: Int
        var loaded: WorkingSet
    }

    let tasks: [BatchTask]
    let schema: String
    /// Most facts of one order.
    let factsMax: Int
    /// The longest record, in bytes.
    let recordBytesMax: Int
    let deadline: MonotonicTime

    /// Runs it: all of it is durable then, or nothing. After a failure the connection is of no use.
    func run(_ session: inout DatabaseSession) throws(Failure) -> Outcome {
        let link = session.link
        link.clearWarning()
        var locked: Locked
        var decided: BatchDecisions
        do throws(PostgresError) {
            try session.addPartitions(until: deadline)
            let numbers = try numbers(&session)
            var keys = KeyMaker(function: session.function)
            let hashes = hashes(numbers, &keys)
            var lookups = LedgerLookups()
            for (task, (number, hashes)) in zip(tasks, zip(numbers, hashes)) {
                lookups.add(task, number, hashes, &keys)
            }
            locked = try lock(link, loading: lookups)
            session.sequence = locked.sequence
            decided = BatchDecisions(
                after: locked.sequence, over: locked.loaded, function: session.function,
                factsMax: factsMax, recordBytesMax: recordBytesMax)
            for (task, (number, hashes)) in zip(tasks, zip(numbers, hashes)) {
                decided.decide(task, number, hashes)
            }
            decided.finish()
            guard locked.loaded.isComplete else {
                throw .unexpected("a decision asked for what was not loaded")
            }
        } catch {
            throw .failed(error)
        }
        guard locked.version == SchemaVersion.current else { throw .version(locked.version) }
        try commit(decided.changes.commands(after: locked.chain, channel: schema), link)
        let written = decided.changes.records.count
        let sequence = locked.sequence + UInt64(written)
        session.sequence = sequence
        return Outcome(
            receipts: decided.receipts, sequence: sequence, recordCount: written,
            changed: decided.changed)
    }

    private func numbers(
        _ session: inout DatabaseSession
    ) throws(PostgresError) -> [UInt16] {
        var numbers: [UInt16] = []
        for task in tasks {
            guard let endpoint = task.endpoint else {
                numbers.append(0)
                continue
            }
            numbers.append(try session.number(of: endpoint, until: deadline))
        }
        return numbers
    }

    private func hashes(
        _ numbers: [UInt16], _ keys: inout KeyMaker
    ) -> [NotificationHashes?] {
        zip(tasks, numbers).map { task, number in
            guard case .submission(let submission) = task.content else { return nil }
            return keys.hashes(of: submission.notification, number)
        }
    }
}

extension LedgerLookups {
    fileprivate mutating func add(
        _ task: BatchTask, _ endpoint: UInt16, _ hashes: NotificationHashes?,
        _ keys: inout KeyMaker
    ) {
        switch task.content {
        case .submission(let submission):
            if let hashes { add(submission.notification, hashes, &keys) }
        case .registration(let registration):
            add(registrationFor: registration.reference, endpoint: endpoint, &keys)
        case .act(let act): add(act.action, endpoint: endpoint, &keys)
        case .confirmation: break
        }
    }
}

/// The round trips.
extension BatchTransaction {
    func lock(
        _ link: any DatabaseLink, loading keys: LedgerLookups
    ) throws(PostgresError) -> Locked {
        let results = try link.run(
            [Command(Self.begin), Command(Self.lockHead)] + Self.load(keys), until: deadline)
        guard results[1].rowCount == 1 else { throw .unexpected("no row in head") }
        var locked = Locked(
            sequence: UInt64(clamping: try results[1].integer(0, 0)),
            chain: try results[1].bytes(0, 1), version: Int(try results[1].integer(0, 2)),
            loaded: WorkingSet(keys))
        try Self.add(results[2...], to: &locked.loaded)
        return locked
    }

    func commit(
        _ commands: [Command], _ link: any DatabaseLink
    ) throws(Failure) {
        let results: [PostgresResult]
        do throws(PostgresError) {
            results = try link.run(commands + [Command(Self.commit)], until: deadline)
        } catch {
            // The server says ERROR of what it has undone, of COMMIT itself too.
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

    /// Nothing stands among the keys of a kind: the statement is run all the same, so that results
    /// have their places.
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
        for row in 0..<events.rowCount {
            loaded.add(
                try events.key(row, 0),
                KnownEvent(
                    sequence: UInt64(clamping: try events.integer(row, 1)),
                    fingerprint: UInt32(truncatingIfNeeded: try events.integer(row, 2))))
        }
        for row in 0..<orders.rowCount { loaded.add(try orders.order(row, from: 0)) }
        for row in 0..<pointers.rowCount {
            let alias = try pointers.key(row, 0)
            loaded.add(alias, of: try pointers.key(row, 1))
            // The order may have become part of another.
            guard !pointers.isNull(row, 2) else { continue }
            loaded.add(try pointers.order(row, from: 1), pointedAtBy: alias)
        }
    }

    private static let begin = Statement(name: "begin", sql: "BEGIN")
    private static let commit = Statement(name: "commit", sql: "COMMIT")
    private static let lockHead = Statement(
        name: "head",
        sql: """
            SELECT sequence, chain, (SELECT version FROM meta) FROM head FOR UPDATE
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

    /// A row of `order_state` from this column on.
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
