import Payments
import PostgreSQL
import PostgreSQLStore

/// The statements by which a state in a database is opened and changed: what `DeliveryRows` is for
/// one in SQLite.
extension ReaderSession {
    /// Nil when another process has taken the lease since.
    func open(
        _ destination: DeliveryDestination, _ store: String, under lease: Lease
    ) throws(PostgresError) -> OpenedDelivery? {
        let name = destination.name
        let results = try commit(
            under: lease,
            [
                Command(Self.find).with(name),
                // The positions of another store mean nothing here.
                Command(Self.forget).with(name).with(store),
                Command(Self.begin).with(name).with(store)
                    .with(Int64(clamping: destination.startsAfter)),
                Command(Self.find).with(name),
                Command(Self.forgetAnswers).with(name),
            ])
        guard let results else { return nil }
        let former = results[0].rowCount == 1 ? try results[0].text(0, 0) : nil
        let row = results[3]
        var state = RestoredDelivery(
            cursor: UInt64(clamping: try row.integer(0, 1)),
            pause: row.isNull(0, 2) ? nil : PauseReason(rawValue: try row.text(0, 2)))
        // In portions: the records are not to be in memory all at once. Nobody else changes them.
        var last: Int64 = 0
        while let next = try addEvents(of: name, after: last, to: &state) { last = next }
        return OpenedDelivery(
            state: state, formerStore: former == store ? nil : former, lease: lease.fence)
    }

    /// The last sequence of the portion; nil when there was none.
    private func addEvents(
        of destination: String, after last: Int64, to state: inout RestoredDelivery
    ) throws(PostgresError) -> Int64? {
        let rows = try run([Command(Self.events).with(destination).with(last)])[0]
        var end: Int64?
        for row in 0..<rows.rowCount {
            end = try rows.integer(row, 0)
            guard let event = try? FeedEvent(try rows.bytes(row, 1)) else {
                throw .unexpected("a kept record cannot be read")
            }
            state.events.append(
                RestoredDelivery.Event(
                    row: DeliveryRow(
                        sequence: event.sequence, attempts: Int(try rows.integer(row, 2)),
                        due: try rows.integer(row, 3), isDead: try rows.integer(row, 4) != 0),
                    orders: event.orders, received: event.received.microseconds))
        }
        return end
    }

    private static let find = Statement(
        name: "destination_find",
        sql: "SELECT store, cursor, pause FROM destination WHERE name = $1")
    private static let forget = Statement(
        name: "destination_forget",
        sql: """
            DELETE FROM delivery WHERE destination = $1 AND NOT EXISTS (
                SELECT FROM destination WHERE name = $1 AND store = $2)
            """)
    private static let begin = Statement(
        name: "destination_begin",
        sql: """
            INSERT INTO destination (name, store, cursor) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET store = excluded.store, cursor = excluded.cursor
            WHERE destination.store <> excluded.store
            """)
    /// Of those who asked and did not wait for the answer.
    private static let forgetAnswers = Statement(
        name: "command_forget",
        sql: """
            DELETE FROM delivery_command WHERE destination = $1 AND changed IS NOT NULL
                AND asked < clock_timestamp() - interval '1 hour'
            """)
    private static let events = Statement(
        name: "delivery_events",
        sql: """
            SELECT sequence, record, attempts, due, is_dead FROM delivery
            WHERE destination = $1 AND sequence > $2 ORDER BY sequence LIMIT 1000
            """)
}

extension DeliveryWrite {
    /// What makes the change, within one transaction.
    var commands: [Command] {
        var commands = [
            Command(Self.update).with(destination).with(Int64(clamping: changes.cursor))
                .with(changes.pause?.rawValue)
        ]
        if !changes.settled.isEmpty { commands.append(deletion) }
        let known = changes.events.filter { !changes.new.contains($0.sequence) }
        if !known.isEmpty { commands.append(update(of: known)) }
        if !changes.new.isEmpty { commands.append(insertion) }
        if !attempts.isEmpty {
            commands.append(log)
            commands.append(
                Command(Self.forgetAttempts).with(destination).with(Int64(attemptsMax)))
        }
        if !answers.isEmpty { commands.append(answer) }
        return commands
    }

    private var deletion: Command {
        var sequences = Column(.int8)
        for sequence in changes.settled { sequences.append(Int64(clamping: sequence)) }
        return Command(Self.delete).with(destination).with(sequences)
    }

    private func update(of rows: [DeliveryRow]) -> Command {
        var (sequences, attempts, due, dead) = (
            Column(.int8), Column(.int8), Column(.int8), Column(.bool)
        )
        for row in rows {
            sequences.append(Int64(clamping: row.sequence))
            attempts.append(Int64(row.attempts))
            due.append(row.due)
            dead.append(row.isDead)
        }
        return Command(Self.change).with(destination).with(sequences).with(attempts).with(due)
            .with(dead)
    }

    private var insertion: Command {
        var (sequences, received, attempts, due, dead, records) = (
            Column(.int8), Column(.timestamp), Column(.int8), Column(.int8), Column(.bool),
            Column(.bytes)
        )
        var (endpoints, references, kinds, statuses) = (
            Column(.text), Column(.text), Column(.text), Column(.text)
        )
        for row in changes.events where changes.new.contains(row.sequence) {
            guard let event = events[row.sequence] else { continue }
            sequences.append(Int64(clamping: row.sequence))
            endpoints.append(event.endpoint)
            references.append(event.reference)
            kinds.append(event.kind)
            statuses.append(event.status)
            received.append(microseconds: event.received.microseconds)
            attempts.append(Int64(row.attempts))
            due.append(row.due)
            dead.append(row.isDead)
            records.append(event.record)
        }
        return Command(Self.insert).with(destination).with(sequences).with(endpoints)
            .with(references).with(kinds).with(statuses).with(received).with(attempts).with(due)
            .with(dead).with(records)
    }

    private var log: Command {
        var (sequences, began, numbers, statuses, latencies) = (
            Column(.int8), Column(.timestamp), Column(.int8), Column(.int8), Column(.int8)
        )
        var (references, reasons, details, excerpts) = (
            Column(.text), Column(.text), Column(.text), Column(.text)
        )
        for attempt in attempts {
            let outcome = attempt.outcome
            sequences.append(Int64(clamping: attempt.sequence))
            references.append(attempt.reference)
            began.append(microseconds: attempt.began.microseconds)
            numbers.append(Int64(attempt.number))
            statuses.append(outcome.status.map { Int64($0) })
            reasons.append(outcome.reason)
            latencies.append(Int64(outcome.latencyMicroseconds))
            details.append(outcome.detail)
            excerpts.append(outcome.excerpt)
        }
        return Command(Self.note).with(destination).with(sequences).with(references).with(began)
            .with(numbers).with(statuses).with(reasons).with(latencies).with(details)
            .with(excerpts)
    }

    private var answer: Command {
        var (ids, counts) = (Column(.int8), Column(.int8))
        for (id, count) in answers {
            ids.append(id)
            counts.append(Int64(count))
        }
        return Command(Self.answer).with(ids).with(counts)
    }

    private static let update = Statement(
        name: "destination_update",
        sql: "UPDATE destination SET cursor = $2, pause = $3 WHERE name = $1")
    private static let delete = Statement(
        name: "delivery_delete",
        sql: "DELETE FROM delivery WHERE destination = $1 AND sequence = ANY($2)")
    private static let change = Statement(
        name: "delivery_change",
        sql: """
            UPDATE delivery SET attempts = new.attempts, due = new.due, is_dead = new.is_dead
            FROM unnest($2, $3, $4, $5) AS new (sequence, attempts, due, is_dead)
            WHERE destination = $1 AND delivery.sequence = new.sequence
            """)
    /// Replaces what a write that was reported as failed has left.
    private static let insert = Statement(
        name: "delivery_insert",
        sql: """
            INSERT INTO delivery (destination, sequence, endpoint, reference, kind, status,
                received, attempts, due, is_dead, record)
            SELECT $1, * FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            ON CONFLICT (destination, sequence) DO UPDATE SET attempts = excluded.attempts,
                due = excluded.due, is_dead = excluded.is_dead, record = excluded.record
            """)
    private static let note = Statement(
        name: "attempt_insert",
        sql: """
            INSERT INTO delivery_attempt (destination, sequence, reference, began, number, status,
                reason, latency, detail, excerpt)
            SELECT $1, * FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT DO NOTHING
            """)
    private static let forgetAttempts = Statement(
        name: "attempt_forget",
        sql: """
            DELETE FROM delivery_attempt WHERE destination = $1 AND id <= (
                SELECT id FROM delivery_attempt WHERE destination = $1
                ORDER BY id DESC LIMIT 1 OFFSET $2)
            """)
    private static let answer = Statement(
        name: "command_answer",
        sql: """
            UPDATE delivery_command SET changed = done.changed
            FROM unnest($1, $2) AS done (id, changed) WHERE delivery_command.id = done.id
            """)
}
