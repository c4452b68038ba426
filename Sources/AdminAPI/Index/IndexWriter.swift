import GRDB
import Payments
import Records

/// Puts records into the index, inside one transaction.
struct IndexWriter {
    private let database: Database
    private let upsertByReference: IndexStatement
    private let upsertUnjoined: IndexStatement
    private let deleteUnjoined: IndexStatement
    private let deleteByReference: IndexStatement
    private let inheritExpectation: IndexStatement

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

    /// Takes in what a record says of an order; the same record again changes nothing. Throws when
    /// it cannot be decoded, and what SQLite says.
    func put(_ record: UnsafeRawBufferPointer) throws {
        if let entry = OrderEntry(quickly: record) { return try put(entry, record) }
        let draft = try OrderEntryDraft(record)
        if draft.isCorrection {
            // What was taken out of an order no record tells.
            try database.execute(sql: "UPDATE refresh SET isDue = 1")
        }
        for touched in draft.entry.touched { try note(touched, draft) }
        guard draft.hasOrder else { return }
        try draft.bytes.withUnsafeBytes { try put(draft.entry, $0) }
        try putAliases(of: draft.entry, draft.bytes)
    }

    /// Another order has changed with the record's. What it is from now on the order itself tells,
    /// so its row waits for a refresh; one that begins now gets its row.
    private func note(_ touched: OrderEntry.Touched, _ draft: OrderEntryDraft) throws {
        let endpoint = draft.text(draft.entry.endpoint)
        let (reference, id) = (
            touched.reference.map { draft.text($0) }, touched.id.map { draft.text($0) }
        )
        if touched.first > 0 {
            let received = draft.entry.received.microseconds
            try database.execute(
                sql: "INSERT OR IGNORE INTO orders (first, endpoint, reference, transactionID, "
                    + "status, flags, created, updated, last) VALUES (?, ?, ?, ?, ?, '', ?, ?, ?)",
                arguments: [
                    Int64(clamping: touched.first), endpoint, reference, id, "review", received,
                    received, Int64(clamping: touched.first),
                ])
        }
        try database.execute(
            sql: "INSERT OR IGNORE INTO stale (endpoint, reference, id) VALUES (?, ?, ?)",
            arguments: [endpoint, reference ?? "", reference == nil ? id ?? "" : ""])
    }

    private func putAliases(of entry: OrderEntry, _ bytes: [UInt8]) throws {
        func text(_ place: OrderEntry.Text) -> String {
            String(decoding: bytes[place], as: UTF8.self)
        }
        let writer = AliasWriter(database: database)
        let endpoint = text(entry.endpoint)
        let target = AliasWriter.Target(
            endpoint: endpoint, reference: entry.reference.map(text),
            id: entry.transaction.map(text))
        for id in entry.absorbedIDs {
            try writer.move(from: .init(endpoint: endpoint, id: text(id)), to: target)
        }
        for reference in entry.absorbed {
            try writer.move(from: .init(endpoint: endpoint, reference: text(reference)), to: target)
        }
        if let alias = entry.alias { try writer.add(text(alias), to: target) }
    }

    private func put(_ entry: OrderEntry, _ bytes: UnsafeRawBufferPointer) throws {
        for id in entry.absorbedIDs {
            deleteUnjoined.bind(1, entry.endpoint, of: bytes)
            deleteUnjoined.bind(2, id, of: bytes)
            try deleteUnjoined.run()
        }
        guard entry.reference != nil else { return try run(upsertUnjoined, entry, bytes) }
        try run(upsertByReference, entry, bytes)
        for absorbed in entry.absorbed {
            // What the merchant registered for the other name is about this order now.
            inheritExpectation.bind(1, entry.endpoint, of: bytes)
            inheritExpectation.bind(2, absorbed, of: bytes)
            inheritExpectation.bind(3, entry.endpoint, of: bytes)
            inheritExpectation.bind(4, entry.reference, of: bytes)
            try inheritExpectation.run()
            deleteByReference.bind(1, entry.endpoint, of: bytes)
            deleteByReference.bind(2, absorbed, of: bytes)
            try deleteByReference.run()
        }
    }

    private func run(
        _ statement: IndexStatement, _ entry: OrderEntry, _ bytes: UnsafeRawBufferPointer
    ) throws {
        let sequence = Int64(clamping: entry.sequence)
        statement.bind(1, sequence)
        statement.bind(2, entry.endpoint, of: bytes)
        statement.bind(3, entry.reference, of: bytes)
        statement.bind(4, entry.transaction, of: bytes)
        statement.bind(5, entry.status, of: bytes)
        statement.bind(6, entry.amount?.minor)
        statement.bind(
            7, (entry.amount ?? entry.refunded ?? entry.authorized)?.currency, of: bytes)
        statement.bind(8, entry.refunded?.minor)
        statement.bind(9, entry.flags, of: bytes)
        statement.bind(10, entry.received.microseconds)
        statement.bind(11, entry.received.microseconds)
        statement.bind(12, sequence)
        statement.bind(13, entry.expected?.minor)
        statement.bind(14, entry.expected?.currency, of: bytes)
        statement.bind(15, entry.expires?.microseconds)
        statement.bind(16, entry.metadata, of: bytes)
        statement.bind(17, entry.authorized?.minor)
        statement.bind(18, entry.captured?.minor)
        statement.bind(19, entry.reasonCode, of: bytes)
        statement.bind(20, entry.reasonMessage, of: bytes)
        statement.bind(21, entry.method, of: bytes)
        statement.bind(22, entry.agreement, of: bytes)
        try statement.run()
    }

    /// Notes how far the journal was read, and what its last record was.
    func put(position sequence: UInt64, digest: String) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO position (id, sequence, digest) VALUES (1, ?, ?)",
            arguments: [Int64(clamping: sequence), digest])
    }
}
