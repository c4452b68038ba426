import Ledger
import Payments
import PostgreSQL
import Records

/// Imports a journal whose beginning is gone: identities and orders come from its snapshot, and the
/// remaining events are imported as they are. The head stays at 0 until everything is written; an
/// interrupted import writes identities and orders again, and continues with the events.
extension DatabaseImporter {
    /// The content of a journal's snapshot apart from its events and orders.
    package struct Seed: Sendable {
        /// The last covered sequence.
        package var sequence: UInt64
        package var function: SipHash
        /// The endpoints, indexed by number.
        package var endpoints: [String]
        /// When records were received, about one record a day.
        package var ages: [(sequence: UInt64, received: Timestamp)]

        package init(
            sequence: UInt64, function: SipHash, endpoints: [String],
            ages: [(sequence: UInt64, received: Timestamp)]
        ) {
            self.sequence = sequence
            self.function = function
            self.endpoints = endpoints
            self.ages = ages
        }

        /// When a record was received, with an error of at most a day before.
        fileprivate func received(_ sequence: UInt64) -> Int64 {
            (ages.last { $0.sequence <= sequence } ?? ages.first)?.received.microseconds ?? 0
        }
    }

    /// An order, with columns that only its records have.
    package struct SeededOrder: Sendable {
        package var key: KeyHash
        package var stored: StoredOrder
        package var transaction: String?
        package var metadata: String?

        package init(
            key: KeyHash, stored: StoredOrder, transaction: String?, metadata: String?
        ) {
            self.key = key
            self.stored = stored
            self.transaction = transaction
            self.metadata = metadata
        }
    }

    /// Begins or continues. Returns the sequence of the first event to import.
    ///
    /// - Parameter first: The journal's first record.
    package func beginSeed(_ seed: Seed, first: UInt64) throws(DatabaseFailure) -> UInt64 {
        let there = try reader.attempt { () throws(PostgresError) in
            let row = try reader.connection.run(
                Command("SELECT coalesce(max(sequence), 0) FROM event"), until: reader.deadline)
            return UInt64(clamping: try row.integer(0, 0))
        }
        let next = there + 1
        let goesOn = next >= first && there > 0 && next <= seed.sequence + 1
        var numbers = Column(.int4)
        var names = Column(.text)
        for (number, name) in seed.endpoints.enumerated() {
            numbers.append(Int64(number))
            names.append(name)
        }
        var commands = [
            Command("BEGIN"),
            Command("TRUNCATE identity, order_state, alias"),
            Command("DELETE FROM endpoint"),
            Command("INSERT INTO endpoint \(Statement.rows(2))").with(numbers).with(names),
            Command("UPDATE meta SET hash_key = $1").with(seed.function.keyBytes),
        ]
        if !goesOn {
            commands.append(Command("TRUNCATE event, batch"))
            commands.append(marks(seed, before: first))
        }
        let all = commands + [Command("COMMIT")]
        try reader.requireCommit(try own { () throws(DatabaseFailure) in try reader.run(all) })
        return goesOn ? next : first
    }

    /// Rows of `batch` without events, which date the identities whose events are gone.
    private func marks(_ seed: Seed, before first: UInt64) -> Command {
        var firsts = Column(.int8)
        var dates = Column(.timestamp)
        for mark in seed.ages where mark.sequence < first - 1 {
            firsts.append(Int64(mark.sequence))
            dates.append(microseconds: mark.received.microseconds)
        }
        firsts.append(Int64(first - 1))
        dates.append(microseconds: seed.received(first - 1))
        return Command(
            """
            INSERT INTO batch (first, count, chain, committed)
            SELECT first, 0, decode(repeat('00', 32), 'hex'), date
            FROM unnest($1, $2) AS mark (first, date)
            """
        ).with(firsts).with(dates)
    }

    /// Writes events and their batch; the head does not move.
    package func seed(_ records: [ImportedRecord], _ seed: Seed) throws(DatabaseFailure) {
        guard let first = records.first, let last = records.last else { return }
        var events = EventColumns()
        for record in records {
            guard let number = seed.endpoints.firstIndex(of: record.event.endpoint) else {
                throw DatabaseFailure(
                    "record \(record.sequence) names an endpoint that the snapshot does not have",
                    "check the journal with `ipnd journal verify`")
            }
            events.append(
                record.sequence, record.event.received, UInt16(number), record.event.outcome,
                record.bytes)
        }
        let before = try reader.attempt { () throws(PostgresError) in
            try reader.connection.run(
                [
                    Command("SELECT add_event_partitions($1)").with(Int64(last.sequence)),
                    Command("SELECT chain FROM batch ORDER BY first DESC LIMIT 1"),
                ], until: reader.deadline)[1].bytes(0, 0)
        }
        let chain = RecordChain.hash(
            after: before, first: first.sequence, records.map(\.bytes))
        let note = Command(
            """
            INSERT INTO batch (first, count, chain, committed)
            VALUES ($1, $2, $3, 'epoch'::timestamptz + $4 * interval '1 microsecond')
            """)
        let results = try reader.run([
            Command("BEGIN"), events.command,
            note.with(Int64(first.sequence)).with(Int64(records.count)).with(chain)
                .with(last.event.received.microseconds),
            Command("COMMIT"),
        ])
        try reader.requireCommit(results)
    }

    /// Writes a portion of the identities.
    package func seed(_ events: [(KeyHash, KnownEvent)]) throws(DatabaseFailure) {
        var columns = IdentityColumns(areNew: false)
        for (key, event) in events { columns.append(key, event) }
        _ = try reader.run(columns.command)
    }

    /// Writes a portion of the orders with their aliases, after the events.
    package func seed(_ orders: [SeededOrder], _ seed: Seed) throws(DatabaseFailure) {
        let maker = KeyMaker(function: seed.function)
        var columns = OrderColumns(.known)
        var aliases = AliasColumns(areNew: false)
        var keys = Column(.uuid)
        for order in orders {
            let stored = order.stored
            let first = stored.sequences.first ?? stored.later.last
            let last = max(stored.sequences.last ?? 0, stored.later.last)
            columns.append(
                order.key, stored, first: Int64(first), created: seed.received(first), last: last,
                updated: seed.received(last), transaction: order.transaction,
                metadata: order.metadata)
            keys.append(order.key)
            for pointer in maker.pointers(to: stored) { aliases.append(pointer, order.key) }
        }
        guard !orders.isEmpty else { return }
        var commands = [columns.command]
        if !aliases.isEmpty { commands.append(aliases.command) }
        for (column, sequence) in [("created", "first"), ("updated", "last")] {
            commands.append(
                Command(
                    """
                    UPDATE order_state SET \(column) = received FROM event
                    WHERE event.sequence = order_state.\(sequence) AND key = ANY($1)
                    """
                ).with(keys))
        }
        _ = try reader.run(commands)
    }

    /// Moves the head after everything was written.
    package func endSeed(_ seed: Seed) throws(DatabaseFailure) {
        reader.connection.clearWarning()
        let results = try reader.run([
            Command("BEGIN"),
            Command(
                """
                UPDATE head SET sequence = $1,
                    chain = (SELECT chain FROM batch ORDER BY first DESC LIMIT 1)
                """
            ).with(Int64(seed.sequence)),
            Command("COMMIT"),
        ])
        try reader.requireCommit(results)
    }
}
