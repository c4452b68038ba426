import Ledger
import Payments
import PostgreSQL

/// Reads the record for a journal: the events with their bytes and, if the oldest were dropped, the
/// identities and orders of those. Everything is confirmed by a synchronous commit before it is
/// returned, and nothing is locked.
package struct DatabaseExporter {
    /// The content of the tables.
    package struct Extent: Sendable {
        /// The record's identity, as 32 hexadecimal digits.
        package var store: String
        /// The last sequence.
        package var head: UInt64
        /// The first existing sequence; 1 without any.
        package var first: UInt64
    }

    /// Receives the identities and orders, all of one moment.
    package protocol Memory {
        /// Called first.
        mutating func begin(
            function: SipHash, endpoints: [String], head: UInt64
        ) throws(DatabaseFailure)
        mutating func remember(_ key: KeyHash, _ event: KnownEvent)
        mutating func add(_ order: StoredOrder, under key: KeyHash)
        /// Notes when a record was received, in ascending order.
        mutating func note(_ sequence: UInt64, received: Timestamp)
    }

    private let reader: PortionReader

    /// Number of rows read at once.
    private static let rowsMax = 20_000

    package init(_ reader: PortionReader) { self.reader = reader }

    /// Reads the extent of the tables, and confirms it.
    package func extent() throws(DatabaseFailure) -> Extent {
        let extent = try RecordExtent(reader)
        let store = try reader.attempt { () throws(PostgresError) in
            try reader.connection.run(Command("SELECT store FROM meta"), until: reader.deadline)
                .text(0, 0)
        }
        try reader.confirm()
        return Extent(store: store, head: extent.head, first: max(extent.first, 1))
    }

    /// The wrapped keys of sealed records, as the file `keys` of a journal has them; nil when there
    /// are none.
    package func keys() throws(DatabaseFailure) -> [UInt8]? {
        let rows = try reader.attempt { () throws(PostgresError) in
            try reader.connection.run(Command("SELECT keys FROM sealing"), until: reader.deadline)
        }
        return try reader.attempt { () throws(PostgresError) in
            rows.rowCount > 0 ? try rows.bytes(0, 0) : nil
        }
    }

    /// The record of a sequence; nil if it does not exist.
    package func record(_ sequence: UInt64) throws(DatabaseFailure) -> [UInt8]? {
        try reader.events(after: sequence - 1, through: sequence).first?.record
    }

    /// Calls `visit` with the records after `sequence` up to `last`, which was confirmed. Throws
    /// the errors of `visit`, and `DatabaseFailure` if a record is missing.
    package func forEachRecord(
        after sequence: UInt64, through last: UInt64, _ visit: ([UInt8]) throws -> Void
    ) throws {
        var next = sequence + 1
        while next <= last {
            let events = try reader.events(after: next - 1, through: last)
            for event in events where event.sequence == next {
                try visit(event.record)
                next += 1
            }
            guard next > events.last?.sequence ?? .max else {
                throw DatabaseFailure(
                    "the event \(next) is missing in the tables",
                    "run `ipnd database verify`; where retention has just dropped it, run this "
                        + "again into another directory")
            }
        }
    }

    /// Reads the identities and orders, all of one moment, and confirms them.
    package func read(into memory: inout some Memory) throws(DatabaseFailure) {
        let begun = try reader.run([
            Command("BEGIN ISOLATION LEVEL REPEATABLE READ"),
            Command(
                """
                SELECT head.sequence, hash_key,
                    (SELECT count(*) = coalesce(max(number) + 1, 0) FROM endpoint)
                FROM head, meta
                """),
            Command("SELECT name FROM endpoint ORDER BY number"),
        ])
        let endpoints = begun[2]
        let (head, key, names, isDense) = try reader.attempt { () throws(PostgresError) in
            (
                UInt64(clamping: try begun[1].integer(0, 0)), try begun[1].bytes(0, 1),
                try Self.each(endpoints) { row throws(PostgresError) in
                    try endpoints.text(row, 0)
                }, try begun[1].integer(0, 2) == 1
            )
        }
        guard isDense, let function = SipHash(bytes: key) else {
            throw DatabaseFailure(
                "the tables' endpoints or hash key are damaged", "restore the database")
        }
        try memory.begin(function: function, endpoints: names, head: head)
        try forEachRow("SELECT key, sequence, fingerprint FROM identity") {
            rows, row throws(PostgresError) in
            memory.remember(
                try rows.key(row, 0),
                KnownEvent(
                    sequence: UInt64(clamping: try rows.integer(row, 1)),
                    fingerprint: UInt32(truncatingIfNeeded: try rows.integer(row, 2))))
        }
        try forEachRow("SELECT key, facts, later_count, later_last FROM order_state") {
            rows, row throws(PostgresError) in
            guard var order = StoredOrder(try rows.bytes(row, 1)[...]) else {
                throw .unexpected("an order whose facts cannot be read")
            }
            order.later.count = UInt64(clamping: try rows.integer(row, 2))
            order.later.last = UInt64(clamping: try rows.integer(row, 3))
            memory.add(order, under: try rows.key(row, 0))
        }
        try forEachRow(Self.ages) { rows, row throws(PostgresError) in
            memory.note(
                UInt64(clamping: try rows.integer(row, 0)),
                received: Timestamp(microseconds: try rows.microseconds(row, 1)))
        }
        reader.connection.clearWarning()
        let ended = try reader.run([
            Command("SELECT pg_logical_emit_message(true, 'ipnd', '')"), Command("COMMIT"),
        ])
        try reader.requireCommit(ended)
    }

    /// One batch for each day, and the first of all.
    private static let ages = """
        SELECT first, committed FROM (
            SELECT DISTINCT ON (date_trunc('day', committed)) first, committed
            FROM batch WHERE first > 0 ORDER BY date_trunc('day', committed), first
        ) AS day ORDER BY first
        """

    /// Reads all rows of a query in portions.
    private func forEachRow(
        _ query: String, _ visit: (PostgresResult, Int) throws(PostgresError) -> Void
    ) throws(DatabaseFailure) {
        _ = try reader.run("DECLARE portion NO SCROLL CURSOR FOR \(query)")
        while true {
            let rows = try reader.run("FETCH \(Self.rowsMax) FROM portion")
            if rows.rowCount == 0 { break }
            try reader.attempt { () throws(PostgresError) in
                for row in 0..<rows.rowCount { try visit(rows, row) }
            }
        }
        _ = try reader.run("CLOSE portion")
    }

    private static func each<Value>(
        _ rows: PostgresResult, _ read: (Int) throws(PostgresError) -> Value
    ) throws(PostgresError) -> [Value] {
        var values: [Value] = []
        for row in 0..<rows.rowCount { values.append(try read(row)) }
        return values
    }
}
