import GRDB
import GRDBSQLite
import JSON
import Payments
import Records

/// Puts records into the index, inside one transaction.
final class IndexWriter {
    private let database: Database
    private let upsertByReference: IndexStatement
    private let upsertUnjoined: IndexStatement
    private let deleteUnjoined: IndexStatement
    private let deleteByReference: IndexStatement
    private let inheritExpectation: IndexStatement
    /// The texts that are bound to a statement. SQLite makes no copies, so they stay here until it
    /// has run.
    private var texts: [UInt8] = []

    init(_ database: Database) throws {
        self.database = database
        upsertByReference = try IndexStatement(
            database,
            sql: "INSERT INTO orders \(Self.columns) ON CONFLICT (reference, endpoint) "
                + "WHERE reference IS NOT NULL \(Self.update)")
        upsertUnjoined = try IndexStatement(
            database,
            sql: "INSERT INTO orders \(Self.columns) ON CONFLICT (endpoint, transactionID) "
                + "WHERE reference IS NULL \(Self.update)")
        deleteUnjoined = try IndexStatement(
            database,
            sql: "DELETE FROM orders WHERE endpoint = ? AND transactionID = ? "
                + "AND reference IS NULL")
        deleteByReference = try IndexStatement(
            database, sql: "DELETE FROM orders WHERE endpoint = ? AND reference = ?")
        inheritExpectation = try IndexStatement(
            database,
            sql: """
                UPDATE orders SET expectedMinor = coalesce(orders.expectedMinor, old.expectedMinor),
                    expectedCurrency = coalesce(orders.expectedCurrency, old.expectedCurrency),
                    expires = coalesce(orders.expires, old.expires),
                    metadata = coalesce(orders.metadata, old.metadata)
                FROM (SELECT * FROM orders WHERE endpoint = ? AND reference = ?) AS old
                WHERE orders.endpoint = ? AND orders.reference = ?
                """)
    }

    private static let columns = """
        (first, endpoint, reference, transactionID, status, minor, currency, refunded, flags,
         created, updated, last, expectedMinor, expectedCurrency, expires, metadata,
         authorized, captured, reasonCode, reasonMessage, method, agreement)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static let update = """
        DO UPDATE SET
            transactionID = coalesce(excluded.transactionID, transactionID),
            status = excluded.status, minor = excluded.minor, currency = excluded.currency,
            refunded = excluded.refunded, flags = excluded.flags,
            authorized = excluded.authorized, captured = excluded.captured,
            reasonCode = excluded.reasonCode, reasonMessage = excluded.reasonMessage,
            method = excluded.method, agreement = excluded.agreement,
            updated = excluded.updated, last = excluded.last,
            expectedMinor = coalesce(excluded.expectedMinor, expectedMinor),
            expectedCurrency = coalesce(excluded.expectedCurrency, expectedCurrency),
            expires = CASE WHEN excluded.expectedMinor IS NULL THEN expires
                ELSE excluded.expires END,
            metadata = coalesce(excluded.metadata, metadata)
        """

    /// Adds the row of a stored record; the same record again changes nothing. Throws `JSONError`,
    /// `RecordError` and `DatabaseError`.
    func put(_ record: UnsafeRawBufferPointer) throws {
        let reader = try RecordReader(record, [.event, .order])
        if reader.corrects != nil {
            // No record names the facts that a correction takes out of an order.
            try database.execute(sql: "UPDATE refresh SET isDue = 1")
        }
        if let row = try OrderRow(reader) { try put(row) }
    }

    /// Adds a row; the same row again changes nothing. Throws `DatabaseError`.
    func put(_ row: OrderRow) throws {
        for touched in row.touched { try note(touched, row) }
        for id in row.absorbedIDs { try run(deleteUnjoined, row.endpoint, id) }
        if let reference = row.reference {
            try upsert(row, upsertByReference)
            for absorbed in row.absorbed {
                // An expectation that was registered for the other name is about this order now.
                try run(inheritExpectation, row.endpoint, absorbed, row.endpoint, reference)
                try run(deleteByReference, row.endpoint, absorbed)
            }
        } else {
            try upsert(row, upsertUnjoined)
        }
    }

    /// Another order has changed with the record's: its row waits for a refresh. One that begins
    /// now gets its row.
    private func note(_ touched: OrderChange.Touched, _ row: OrderRow) throws {
        let (endpoint, reference, id) = (row.endpoint, touched.reference, touched.id)
        if let first = touched.first, first > 0 {
            let received = row.received.microseconds
            try database.execute(
                sql: "INSERT OR IGNORE INTO orders (first, endpoint, reference, transactionID, "
                    + "status, flags, created, updated, last) VALUES (?, ?, ?, ?, ?, '', ?, ?, ?)",
                arguments: [
                    Int64(clamping: first), endpoint, reference, id, "review", received,
                    received, Int64(clamping: first),
                ])
        }
        try database.execute(
            sql: "INSERT OR IGNORE INTO stale (endpoint, reference, id) VALUES (?, ?, ?)",
            arguments: [endpoint, reference ?? "", reference == nil ? id ?? "" : ""])
    }

    /// Runs a statement of texts only.
    private func run(_ statement: IndexStatement, _ values: String...) throws {
        texts.removeAll(keepingCapacity: true)
        let places = values.map { place($0) }
        try texts.withUnsafeBytes { bytes in
            for (index, place) in places.enumerated() {
                statement.bind(Int32(index + 1), place, of: bytes)
            }
            try statement.run()
        }
    }

    private func upsert(_ row: OrderRow, _ statement: IndexStatement) throws {
        texts.removeAll(keepingCapacity: true)
        let endpoint = place(row.endpoint)
        let (reference, transaction) = (place(row.reference), place(row.transaction))
        let (status, flags) = (place(row.status), place(row.flags))
        let currency = place((row.amount ?? row.refunded ?? row.authorized)?.currency.code)
        let (code, message) = (place(row.reason?.code), place(row.reason?.message))
        let (method, agreement) = (place(row.method), place(row.agreement))
        let expected = row.registered?.expectation
        let expectedCurrency = place(expected?.amount.currency.code)
        var metadata: Range<Int>?
        if let bytes = row.registered?.metadata, !bytes.isEmpty {
            metadata = texts.count..<texts.count + bytes.count
            texts += bytes
        }
        let (sequence, received) = (Int64(clamping: row.sequence), row.received.microseconds)
        try texts.withUnsafeBytes { bytes in
            statement.bind(1, sequence)
            statement.bind(2, endpoint, of: bytes)
            statement.bind(3, reference, of: bytes)
            statement.bind(4, transaction, of: bytes)
            statement.bind(5, status, of: bytes)
            statement.bind(6, row.amount?.minor)
            statement.bind(7, currency, of: bytes)
            statement.bind(8, row.refunded?.minor)
            statement.bind(9, flags, of: bytes)
            statement.bind(10, received)
            statement.bind(11, received)
            statement.bind(12, sequence)
            statement.bind(13, expected?.amount.minor)
            statement.bind(14, expectedCurrency, of: bytes)
            statement.bind(15, expected?.expires?.microseconds)
            statement.bind(16, metadata, of: bytes)
            statement.bind(17, row.authorized?.minor)
            statement.bind(18, row.captured?.minor)
            statement.bind(19, code, of: bytes)
            statement.bind(20, message, of: bytes)
            statement.bind(21, method, of: bytes)
            statement.bind(22, agreement, of: bytes)
            try statement.run()
        }
    }

    /// Adds a text to `texts` and returns its place.
    private func place(_ text: String?) -> Range<Int>? {
        guard let text else { return nil }
        let start = texts.count
        texts += text.utf8
        return start..<texts.count
    }

    /// Notes the last record of the journal that is in the index.
    func put(position sequence: UInt64, digest: String) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO position (id, sequence, digest) VALUES (1, ?, ?)",
            arguments: [Int64(clamping: sequence), digest])
    }
}

/// A prepared statement, bound and run through SQLite's own interface: GRDB's makes an array of
/// boxed values for each run, which costs more than the run.
struct IndexStatement {
    /// Keeps the statement alive; the connection's cache owns it.
    private let statement: Statement
    private var pointer: OpaquePointer { statement.sqliteStatement }

    init(_ database: Database, sql: String) throws {
        statement = try database.cachedStatement(sql: sql)
    }

    /// Binds a text in place. The bytes must stay valid until `run` returns.
    func bind(_ index: Int32, _ text: Range<Int>?, of bytes: UnsafeRawBufferPointer) {
        guard let text else { return bindNull(index) }
        let start = bytes.baseAddress?.advanced(by: text.lowerBound)
        // Without a destructor SQLite copies nothing. A null pointer would bind NULL.
        sqlite3_bind_text(
            pointer, index, start?.assumingMemoryBound(to: CChar.self) ?? Self.nothing,
            Int32(text.count), nil)
    }

    func bind(_ index: Int32, _ number: Int64?) {
        guard let number else { return bindNull(index) }
        sqlite3_bind_int64(pointer, index, number)
    }

    private func bindNull(_ index: Int32) { sqlite3_bind_null(pointer, index) }

    /// Runs the statement, which returns no rows, and resets it.
    func run() throws {
        let code = sqlite3_step(pointer)
        sqlite3_reset(pointer)
        guard code == SQLITE_DONE else {
            let message = sqlite3_errmsg(sqlite3_db_handle(pointer)).map { String(cString: $0) }
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
    }

    /// The address of an empty text.
    private static var nothing: UnsafePointer<CChar>? {
        UnsafeRawPointer(("" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
