import GRDB
import Payments

/// The statements by which a state is opened and changed.
enum DeliveryRows {
    static func open(
        _ database: Database, _ destination: DeliveryDestination, _ store: String
    ) throws -> OpenedDelivery {
        let row = try Row.fetchOne(
            database, sql: "SELECT store, cursor, pause FROM destination WHERE name = ?",
            arguments: [destination.name])
        if let row, row["store"] as String == store {
            return OpenedDelivery(state: try restored(database, destination, row))
        }
        // Its positions mean nothing here.
        try database.execute(
            sql: "DELETE FROM delivery WHERE destination = ?", arguments: [destination.name])
        let pause = row?["pause"] as String?
        try database.execute(
            sql: "INSERT OR REPLACE INTO destination VALUES (?, ?, ?, ?)",
            arguments: [destination.name, store, Int64(clamping: destination.startsAfter), pause])
        return OpenedDelivery(
            state: RestoredDelivery(
                cursor: destination.startsAfter, pause: pause.flatMap(PauseReason.init)),
            formerStore: row?["store"])
    }

    private static func restored(
        _ database: Database, _ destination: DeliveryDestination, _ row: Row
    ) throws -> RestoredDelivery {
        var state = RestoredDelivery(
            cursor: UInt64(clamping: row["cursor"] as Int64),
            pause: (row["pause"] as String?).flatMap(PauseReason.init))
        let rows = try Row.fetchCursor(
            database, sql: "SELECT * FROM delivery WHERE destination = ? ORDER BY sequence",
            arguments: [destination.name])
        while let row = try rows.next() {
            let record: String = row["record"]
            guard let event = try FeedEvent(Array(record.utf8)) else { continue }
            state.events.append(
                RestoredDelivery.Event(
                    row: DeliveryRow(
                        sequence: event.sequence, attempts: row["attempts"], due: row["due"],
                        isDead: row["isDead"]),
                    orders: event.orders, received: event.received.microseconds))
        }
        return state
    }

    static func write(_ database: Database, _ write: DeliveryWrite) throws {
        let changes = write.changes
        try database.execute(
            sql: "UPDATE destination SET cursor = ?, pause = ? WHERE name = ?",
            arguments: [
                Int64(clamping: changes.cursor), changes.pause?.rawValue, write.destination,
            ])
        let delete = try database.cachedStatement(
            sql: "DELETE FROM delivery WHERE destination = ? AND sequence = ?")
        for sequence in changes.settled {
            try delete.execute(arguments: [write.destination, Int64(clamping: sequence)])
        }
        let update = try database.cachedStatement(
            sql: """
                UPDATE delivery SET attempts = ?, due = ?, isDead = ?
                WHERE destination = ? AND sequence = ?
                """)
        for row in changes.events {
            if changes.new.contains(row.sequence) {
                guard let event = write.events[row.sequence] else { continue }
                try insert(database, write.destination, row, event)
            } else {
                try update.execute(arguments: [
                    row.attempts, row.due, row.isDead, write.destination,
                    Int64(clamping: row.sequence),
                ])
            }
        }
        for attempt in write.attempts { try insert(database, attempt) }
        guard !write.attempts.isEmpty else { return }
        try database.execute(
            sql: """
                DELETE FROM attempt WHERE destination = ? AND id <= (
                    SELECT id FROM attempt WHERE destination = ?
                    ORDER BY id DESC LIMIT 1 OFFSET ?)
                """,
            arguments: [write.destination, write.destination, write.attemptsMax])
    }

    private static func insert(
        _ database: Database, _ destination: String, _ row: DeliveryRow, _ event: FeedEvent
    ) throws {
        // Replaces what a write that was reported as failed has left.
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO delivery
                (destination, sequence, endpoint, reference, kind, status, received, attempts,
                 due, isDead, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try statement.execute(arguments: [
            destination, Int64(clamping: row.sequence), event.endpoint, event.reference,
            event.kind, event.status, event.received.microseconds, row.attempts, row.due,
            row.isDead, String(decoding: event.record, as: UTF8.self),
        ])
    }

    private static func insert(_ database: Database, _ attempt: LoggedAttempt) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO attempt
                (destination, sequence, reference, began, number, status, reason, latency, detail,
                 excerpt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        let outcome = attempt.outcome
        try statement.execute(arguments: [
            attempt.destination, Int64(clamping: attempt.sequence), attempt.reference,
            attempt.began.microseconds, attempt.number, outcome.status, outcome.reason,
            outcome.latencyMicroseconds, outcome.detail, outcome.excerpt,
        ])
    }
}
