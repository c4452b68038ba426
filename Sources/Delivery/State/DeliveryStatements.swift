/// The statements of the delivery state. The tables are in PostgreSQLStore's `schema-*.sql` and,
/// with the same names, in ``SQLiteSession``.
extension SQLStatement {
    static let findDestination = SQLStatement(
        "destination_find", returns: [.text, .integer, .optional(.text)],
        "SELECT store, cursor, pause FROM destination WHERE name = $1")

    static let deleteForeignEvents = SQLStatement(
        "destination_forget",
        """
        DELETE FROM delivery WHERE destination = $1 AND NOT EXISTS (
            SELECT 1 FROM destination WHERE name = $1 AND store = $2)
        """)

    /// Keeps the row of a destination that has one of this store; keeps the pause in any case.
    static let insertDestination = SQLStatement(
        "destination_begin",
        """
        INSERT INTO destination (name, store, cursor) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET store = excluded.store, cursor = $4
        WHERE destination.store <> excluded.store
        """)

    static let keptEvents = SQLStatement(
        "delivery_events", returns: [.integer, .bytes, .integer, .integer, .truth],
        """
        SELECT sequence, record, attempts, due, is_dead FROM delivery
        WHERE destination = $1 AND sequence > $2 ORDER BY sequence LIMIT 1000
        """)

    static let record = SQLStatement(
        "delivery_record", returns: [.bytes],
        "SELECT record FROM delivery WHERE destination = $1 AND sequence = $2")

    static let attempts = SQLStatement(
        "attempt_list", returns: [.text] + attemptColumns,
        """
        SELECT destination, sequence, reference, began, number, status, reason, latency, detail,
            excerpt
        FROM delivery_attempt WHERE reference = $1 ORDER BY id DESC LIMIT $2
        """)

    static let removeAnswers = SQLStatement(
        "attempt_erase", returns: [.integer],
        """
        UPDATE delivery_attempt SET excerpt = ''
        WHERE sequence BETWEEN $1 AND $2 AND excerpt <> '' RETURNING sequence
        """)

    static let destinations = SQLStatement(
        "destination_list",
        returns: [
            .text, .integer, .optional(.text), .optional(.text), .integer, .integer,
            .optional(.time),
        ],
        """
        SELECT name, cursor, pause, served_by, count(sequence),
            count(sequence) FILTER (WHERE is_dead), min(received) FILTER (WHERE NOT is_dead)
        FROM destinations LEFT JOIN delivery ON delivery.destination = name
        GROUP BY name, cursor, pause, served_by ORDER BY name
        """)

    // MARK: Changes

    static let updateDestination = SQLStatement(
        "destination_update", "UPDATE destination SET cursor = $2, pause = $3 WHERE name = $1")

    static let deleteEvents = SQLStatement(
        "delivery_delete",
        """
        DELETE FROM delivery
        WHERE destination = $1 AND sequence IN (SELECT item.sequence FROM {items})
        """)

    static let updateEvents = SQLStatement(
        "delivery_change",
        """
        UPDATE delivery SET attempts = item.attempts, due = item.due, is_dead = item.is_dead
        FROM {items} WHERE destination = $1 AND delivery.sequence = item.sequence
        """)

    /// Replaces the rows of a write that was reported as failed but succeeded. `WHERE true` keeps
    /// SQLite from reading `ON CONFLICT` as the condition of a join
    /// (https://www.sqlite.org/lang_upsert.html).
    static let insertEvents = SQLStatement(
        "delivery_insert",
        """
        INSERT INTO delivery (destination, sequence, endpoint, reference, kind, status, received,
            attempts, due, is_dead, record)
        SELECT $1, item.* FROM {items} WHERE true
        ON CONFLICT (destination, sequence) DO UPDATE SET attempts = excluded.attempts,
            due = excluded.due, is_dead = excluded.is_dead, record = excluded.record
        """)

    static let insertAttempts = SQLStatement(
        "attempt_insert",
        """
        INSERT INTO delivery_attempt (destination, sequence, reference, began, number, status,
            reason, latency, detail, excerpt)
        SELECT $1, item.* FROM {items} WHERE true ON CONFLICT DO NOTHING
        """)

    /// Keeps the last `$2` attempts.
    static let deleteOldAttempts = SQLStatement(
        "attempt_forget",
        """
        DELETE FROM delivery_attempt WHERE destination = $1 AND id <= (
            SELECT id FROM delivery_attempt WHERE destination = $1
            ORDER BY id DESC LIMIT 1 OFFSET $2)
        """)

    /// In PostgreSQL only: commands go from one instance to another.
    static let answerCommands = SQLStatement(
        "command_answer",
        """
        UPDATE delivery_command SET changed = item.changed
        FROM {items} WHERE delivery_command.id = item.id
        """)

    // MARK: Lists

    private static let attemptColumns: [SQLType] = [
        .integer, .text, .time, .integer, .optional(.integer), .text, .integer, .text, .text,
    ]

    /// Not prepared: the text depends on the query.
    fileprivate static func list(filter: String, limit: String) -> SQLStatement {
        SQLStatement(
            "",
            returns: [
                .integer, .text, .integer, .text, .text, .text, .text, .time, .integer, .integer,
                .truth,
            ] + attemptColumns.map { .optional($0) },
            """
            SELECT found.id, found.destination, found.sequence, found.endpoint, found.reference,
                found.kind, found.status, found.received, found.attempts, found.due,
                found.is_dead, latest.sequence, latest.reference, latest.began, latest.number,
                latest.status, latest.reason, latest.latency, latest.detail, latest.excerpt
            FROM (SELECT * FROM delivery \(filter) ORDER BY id LIMIT \(limit)) AS found
            LEFT JOIN delivery_attempt AS latest ON latest.id = (
                SELECT max(id) FROM delivery_attempt
                WHERE destination = found.destination AND sequence = found.sequence)
            ORDER BY found.id
            """)
    }

    fileprivate static func count(filter: String) -> SQLStatement {
        SQLStatement("", returns: [.integer], "SELECT count(*) FROM delivery \(filter)")
    }
}

extension SQLCall {
    /// One page of a list, and one event more if there is another page. The oldest come first.
    static func list(_ query: DeliveryQuery) -> SQLCall {
        var conditions = query.conditions
        if let cursor = query.cursor { conditions.append(("id >", .integer(cursor))) }
        let limit = SQLValue.integer(Int64(query.limit) + 1)
        return SQLCall(
            .list(filter: filter(conditions), limit: "$\(conditions.count + 1)"),
            values: conditions.map(\.value) + [limit])
    }

    static func count(_ query: DeliveryQuery) -> SQLCall {
        let conditions = query.conditions
        return SQLCall(
            .count(filter: filter(conditions)), values: conditions.map(\.value))
    }

    private static func filter(_ conditions: [SQLCondition]) -> String {
        guard !conditions.isEmpty else { return "" }
        return "WHERE "
            + conditions.enumerated().map { "\($1.text) $\($0 + 1)" }.joined(separator: " AND ")
    }
}

private typealias SQLCondition = (text: String, value: SQLValue)

extension DeliveryQuery {
    fileprivate var conditions: [SQLCondition] {
        var conditions: [SQLCondition] = []
        if let destination { conditions.append(("destination =", .text(destination))) }
        if let state { conditions.append(("is_dead =", .truth(state == .dead))) }
        if let reference { conditions.append(("reference =", .text(reference))) }
        if let sequence { conditions.append(("sequence =", .sequence(sequence))) }
        return conditions
    }
}

extension DeliveryWrite {
    /// The statements of the write, for one transaction.
    var calls: [SQLCall] {
        let name = SQLValue.text(destination)
        let pause = changes.pause.map { SQLValue.text($0.rawValue) } ?? .null
        let known = changes.events.filter { !changes.new.contains($0.sequence) }
        var calls = [SQLCall(.updateDestination, name, .sequence(changes.cursor), pause)]
        func add(_ statement: SQLStatement, _ values: SQLValue..., items: SQLItems) {
            guard !items.rows.isEmpty else { return }
            calls.append(SQLCall(statement, values: values, items: items))
        }
        add(
            .deleteEvents, name,
            items: SQLItems(
                columns: [("sequence", .integer)],
                rows: changes.settled.map { [.sequence($0)] }))
        add(
            .updateEvents, name,
            items: SQLItems(
                columns: [
                    ("sequence", .integer), ("attempts", .integer), ("due", .integer),
                    ("is_dead", .truth),
                ],
                rows: known.map { row in
                    [
                        .sequence(row.sequence), .integer(Int64(row.attempts)),
                        .integer(row.due), .truth(row.isDead),
                    ]
                }))
        add(.insertEvents, name, items: insertedEvents)
        if !attempts.isEmpty {
            add(.insertAttempts, name, items: insertedAttempts)
            calls.append(SQLCall(.deleteOldAttempts, name, .integer(Int64(attemptsMax))))
        }
        add(
            .answerCommands,
            items: SQLItems(
                columns: [("id", .integer), ("changed", .integer)],
                rows: answers.map { [.integer($0), .integer(Int64($1))] }))
        return calls
    }

    private var insertedEvents: SQLItems {
        let new = changes.events.filter { changes.new.contains($0.sequence) }
        return SQLItems(
            columns: [
                ("sequence", .integer), ("endpoint", .text), ("reference", .text),
                ("kind", .text), ("status", .text), ("received", .time),
                ("attempts", .integer), ("due", .integer), ("is_dead", .truth),
                ("record", .bytes),
            ],
            rows: new.compactMap { row in
                guard let event = events[row.sequence] else { return nil }
                return [
                    .sequence(row.sequence), .text(event.endpoint), .text(event.reference),
                    .text(event.kind), .text(event.status), .time(event.received),
                    .integer(Int64(row.attempts)), .integer(row.due), .truth(row.isDead),
                    .bytes(event.record),
                ]
            })
    }

    private var insertedAttempts: SQLItems {
        SQLItems(
            columns: [
                ("sequence", .integer), ("reference", .text), ("began", .time),
                ("number", .integer), ("status", .integer), ("reason", .text),
                ("latency", .integer), ("detail", .text), ("excerpt", .text),
            ],
            rows: attempts.map { attempt in
                let outcome = attempt.outcome
                return [
                    .sequence(attempt.sequence), .text(attempt.reference), .time(attempt.began),
                    .integer(Int64(attempt.number)),
                    outcome.status.map { .integer(Int64($0)) } ?? .null,
                    .text(outcome.reason), .integer(Int64(outcome.latencyMicroseconds)),
                    .text(outcome.detail), .text(outcome.excerpt),
                ]
            })
    }
}
