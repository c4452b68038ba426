import Foundation
import GRDB
import Payments
import Platform
import PostgreSQLStore

/// Runs the statements in an SQLite file.
struct SQLiteSession: SQLSession {
    private let database: DatabaseQueue
    /// Threads that wait for the one connection would be missing elsewhere.
    private let turns = Turns(1)
    private let path: String

    /// Opens or creates the file, and the tables in it.
    init(_ path: String) throws {
        self.path = path
        var configuration = Configuration()
        configuration.label = "ipnd-delivery"
        configuration.prepareDatabase { database in
            // With the exclusive lock, SQLite keeps the log's index in its own memory: a mapped
            // file that is truncated would end the process (https://www.sqlite.org/wal.html#noshm).
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // What an erasure removes is overwritten.
            try database.execute(sql: "PRAGMA secure_delete = ON")
        }
        database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { database in
            let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
            guard verdict == "ok" else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict)
            }
            try database.execute(sql: Self.schema)
        }
    }

    func close() throws { try database.close() }

    func read(_ call: SQLCall) async throws(DeliveryStateFailure) -> [SQLRow] {
        do {
            return try await blocking { try database.read { try call.run(in: $0) } }
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// The process holds the file, so there is no lease.
    func write(
        _ calls: [SQLCall], under lease: Lease?
    ) async throws(DeliveryStateFailure) -> [[SQLRow]] {
        do {
            return try await blocking {
                try database.write { database in try calls.map { try $0.run(in: database) } }
            }
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// Runs `body` when its turn comes, in a thread that may block.
    private func blocking<Value: Sendable>(
        _ body: @Sendable () throws -> Value
    ) async throws -> Value {
        try await turns.take { () async throws in try await WorkerPool.shared.run(body) }
    }

    static func failure(_ error: any Error, _ path: String) -> DeliveryStateFailure {
        .unavailable("\(path): the state of deliveries: \(error)")
    }

    /// The tables, version 1: the same as in PostgreSQL, where `schema-*.sql` explains them.
    private static let schema = """
        CREATE TABLE IF NOT EXISTS destination (
            name TEXT PRIMARY KEY, store TEXT NOT NULL, cursor INTEGER NOT NULL, pause TEXT
        ) STRICT;
        CREATE TABLE IF NOT EXISTS delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            destination TEXT NOT NULL, sequence INTEGER NOT NULL,
            endpoint TEXT NOT NULL, reference TEXT NOT NULL, kind TEXT NOT NULL,
            status TEXT NOT NULL, received INTEGER NOT NULL,
            attempts INTEGER NOT NULL, due INTEGER NOT NULL, is_dead INTEGER NOT NULL,
            record BLOB NOT NULL, UNIQUE (destination, sequence)
        ) STRICT;
        CREATE INDEX IF NOT EXISTS delivery_reference ON delivery (reference);
        CREATE TABLE IF NOT EXISTS delivery_attempt (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            destination TEXT NOT NULL, sequence INTEGER NOT NULL, reference TEXT NOT NULL,
            began INTEGER NOT NULL, number INTEGER NOT NULL, status INTEGER,
            reason TEXT NOT NULL, latency INTEGER NOT NULL, detail TEXT NOT NULL,
            excerpt TEXT NOT NULL, UNIQUE (destination, sequence, began, number)
        ) STRICT;
        CREATE INDEX IF NOT EXISTS delivery_attempt_reference ON delivery_attempt (reference);
        CREATE INDEX IF NOT EXISTS delivery_attempt_destination
            ON delivery_attempt (destination, id);
        CREATE VIEW IF NOT EXISTS destinations AS
            SELECT name, cursor, pause, NULL AS served_by FROM destination;
        PRAGMA user_version = 1;
        """
}

extension SQLCall {
    /// Runs the statement; one with items once for each item.
    fileprivate func run(in database: Database) throws -> [SQLRow] {
        let statement = try database.cachedStatement(sql: sqliteText)
        let bound = values.map(\.sqlite)
        guard let items else { return try rows(of: statement, bound) }
        for item in items.rows {
            try statement.execute(arguments: StatementArguments(bound + item.map(\.sqlite)))
        }
        return []
    }

    /// SQLite numbers its parameters as `?1`. The item is a row of parameters.
    private var sqliteText: String {
        var text = statement.sql
        if let items {
            let columns = items.columns.enumerated().map { index, column in
                "$\(values.count + index + 1) AS \(column.name)"
            }
            text.replace("{items}", with: "(SELECT \(columns.joined(separator: ", "))) AS item")
        }
        return text.replacing("$", with: "?")
    }

    private func rows(of statement: Statement, _ bound: [DatabaseValue]) throws -> [SQLRow] {
        let arguments = StatementArguments(bound)
        guard !self.statement.columns.isEmpty else {
            try statement.execute(arguments: arguments)
            return []
        }
        var rows: [SQLRow] = []
        let found = try Row.fetchCursor(statement, arguments: arguments)
        while let row = try found.next() {
            let values = try self.statement.columns.enumerated().map { index, type in
                try SQLValue(row[index] as DatabaseValue, type)
            }
            rows.append(SQLRow(values: values))
        }
        return rows
    }
}

extension SQLValue {
    fileprivate var sqlite: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .truth(let value): value.databaseValue
        case .text(let text): text.storable.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        case .time(let time): time.microseconds.databaseValue
        case .integers: preconditionFailure("SQLite has no arrays")
        }
    }

    fileprivate init(_ value: DatabaseValue, _ type: SQLType) throws {
        switch (type, value.storage) {
        case (.integer, .int64(let value)): self = .integer(value)
        case (.truth, .int64(let value)): self = .truth(value != 0)
        case (.text, .string(let text)): self = .text(text)
        case (.bytes, .blob(let data)): self = .bytes([UInt8](data))
        case (.time, .int64(let value)): self = .time(Timestamp(microseconds: value))
        case (.optional, .null): self = .null
        case (.optional(let type), _): try self.init(value, type)
        default:
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH, message: "a column of another type: \(value)")
        }
    }
}
