import GRDB
import Payments

/// Puts entries into the index, inside one transaction.
struct IndexWriter {
    private let database: Database

    init(_ database: Database) { self.database = database }

    private static let columns = """
        (first, endpoint, reference, transactionID, status, minor, currency, refunded, flags,
         created, updated, last, expectedMinor, expectedCurrency, expires, metadata)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static let update = """
        DO UPDATE SET
            transactionID = coalesce(excluded.transactionID, transactionID),
            status = excluded.status, minor = excluded.minor, currency = excluded.currency,
            refunded = excluded.refunded, flags = excluded.flags,
            updated = excluded.updated, last = excluded.last,
            expectedMinor = coalesce(excluded.expectedMinor, expectedMinor),
            expectedCurrency = coalesce(excluded.expectedCurrency, expectedCurrency),
            expires = coalesce(excluded.expires, expires),
            metadata = coalesce(excluded.metadata, metadata)
        """

    private static let upsertByReference =
        "INSERT INTO orders \(columns) ON CONFLICT (endpoint, reference) "
        + "WHERE reference IS NOT NULL \(update)"

    private static let upsertUnjoined =
        "INSERT INTO orders \(columns) ON CONFLICT (endpoint, transactionID) "
        + "WHERE reference IS NULL \(update)"

    private static let deleteUnjoined =
        "DELETE FROM orders WHERE endpoint = ? AND transactionID = ? AND reference IS NULL"

    /// The same entry again changes nothing.
    func put(_ entry: IndexEntry) throws {
        if entry.reference != nil, let transaction = entry.transaction {
            try database.cachedStatement(sql: Self.deleteUnjoined)
                .execute(arguments: [entry.endpoint, transaction])
        }
        let sql = entry.reference == nil ? Self.upsertUnjoined : Self.upsertByReference
        let currency = entry.amount?.currency ?? entry.refunded?.currency
        let metadata =
            entry.metadata.isEmpty ? nil : String(decoding: entry.metadata, as: UTF8.self)
        let sequence = Int64(clamping: entry.sequence)
        let arguments: [(any DatabaseValueConvertible)?] = [
            sequence, entry.endpoint, entry.reference, entry.transaction, entry.status,
            entry.amount?.minor, currency?.code, entry.refunded?.minor, entry.flags,
            entry.received.microseconds, entry.received.microseconds, sequence,
            entry.expected?.minor, entry.expected?.currency.code, entry.expires?.microseconds,
            metadata,
        ]
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    }

    /// Notes how far the journal was read, and what its last record was.
    func put(position sequence: UInt64, digest: String) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO position (id, sequence, digest) VALUES (1, ?, ?)",
            arguments: [Int64(clamping: sequence), digest])
    }
}
