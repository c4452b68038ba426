import GRDB
import Glibc
import Payments

/// The state in an SQLite file, for one process. A power cut may take the last writes, as whole
/// transactions: what they said was told is told again.
package final class SQLiteDeliveryState: DeliveryState {
    package static let fileName = "delivery.sqlite"

    private let database: DatabaseQueue

    /// Opens or makes the file in `directory`. A damaged one is set aside, for that is safe: all is
    /// told again. Returns its new name then. Throws `unavailable`.
    package static func open(
        directory: String
    ) throws(DeliveryStateFailure) -> (state: SQLiteDeliveryState, setAside: String?) {
        let path = "\(directory)/\(fileName)"
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw .unavailable("\(directory): \(String(cString: strerror(errno)))")
        }
        do {
            return (try SQLiteDeliveryState(path), nil)
        } catch let error as DatabaseError where Self.isDamage(error) {
            let aside = "\(path).damaged"
            guard rename(path, aside) == 0 else { throw failure(error) }
            for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
            do { return (try SQLiteDeliveryState(path), aside) } catch { throw failure(error) }
        } catch {
            throw failure(error)
        }
    }

    private static func isDamage(_ error: DatabaseError) -> Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT].contains(error.resultCode)
    }

    private static func failure(_ error: any Error) -> DeliveryStateFailure {
        .unavailable("the delivery state: \(error)")
    }

    private init(_ path: String) throws {
        var configuration = Configuration()
        configuration.label = "ipnd-delivery"
        configuration.prepareDatabase { database in
            // With the exclusive lock, SQLite keeps the log's index in its own memory: a mapped
            // file that is truncated would end the process (https://www.sqlite.org/wal.html#noshm).
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { database in
            let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
            guard verdict == "ok" else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict)
            }
            try DeliverySchema.create(database)
        }
    }

    package func open(
        _ destination: DeliveryDestination, store: String, changed: @escaping @Sendable () -> Void
    ) async throws(DeliveryStateFailure) -> OpenedDelivery? {
        try await run { database in try DeliveryRows.open(database, destination, store) }
    }

    /// The process holds the file.
    package func holds(_ lease: Int64, of destination: String) -> Bool { true }

    /// There is no other instance.
    package func commands(
        for destination: String
    ) async throws(DeliveryStateFailure) -> [QueuedCommand] { [] }

    package func ask(
        _ command: DeliveryCommand, of destination: String
    ) async throws(DeliveryStateFailure) -> Int? { nil }

    package func destinations() async throws(DeliveryStateFailure) -> [StoredDestination] {
        try await run { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT name, cursor, pause, count(sequence) AS waiting,
                        coalesce(sum(isDead), 0) AS dead,
                        min(received) FILTER (WHERE NOT isDead) AS oldest
                    FROM destination LEFT JOIN delivery ON delivery.destination = name
                    GROUP BY name ORDER BY name
                    """
            ).map { row in
                StoredDestination(
                    name: row["name"], cursor: UInt64(clamping: row["cursor"] as Int64),
                    pause: (row["pause"] as String?).flatMap(PauseReason.init),
                    waiting: row["waiting"], dead: row["dead"], oldestReceived: row["oldest"])
            }
        }
    }

    package func write(_ write: DeliveryWrite) async throws(DeliveryStateFailure) {
        try await run { database in try DeliveryRows.write(database, write) }
    }

    package func record(
        _ sequence: UInt64, for destination: String
    ) async throws(DeliveryStateFailure) -> [UInt8]? {
        try await run { database in
            try String.fetchOne(
                database.cachedStatement(
                    sql: "SELECT record FROM delivery WHERE destination = ? AND sequence = ?"),
                arguments: [destination, Int64(clamping: sequence)]
            ).map { Array($0.utf8) }
        }
    }

    package func release(_ destination: String) async {}

    /// What fails here would at a crash, too, and the state bears it.
    package func close() async { try? database.close() }

    package func deliveries(
        _ query: DeliveryQuery
    ) async throws(DeliveryStateFailure) -> DeliveryList {
        try await run { database in try query.fetch(database) }
    }

    package func count(_ query: DeliveryQuery) async throws(DeliveryStateFailure) -> Int {
        try await run { database in try query.count(database) }
    }

    package func attempts(
        reference: String, limit: Int
    ) async throws(DeliveryStateFailure) -> [LoggedAttempt] {
        try await run { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM attempt WHERE reference = ? ORDER BY id DESC LIMIT ?",
                arguments: [reference, limit]
            ).map { try LoggedAttempt($0) }
        }
    }

    /// One transaction.
    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(DeliveryStateFailure) -> Value {
        do { return try await database.write(body) } catch { throw Self.failure(error) }
    }
}

/// The tables. Version 1.
private enum DeliverySchema {
    static func create(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS destination (
                    name TEXT PRIMARY KEY, store TEXT NOT NULL, cursor INTEGER NOT NULL, pause TEXT
                ) STRICT;
                CREATE TABLE IF NOT EXISTS delivery (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    destination TEXT NOT NULL, sequence INTEGER NOT NULL,
                    endpoint TEXT NOT NULL, reference TEXT NOT NULL, kind TEXT NOT NULL,
                    status TEXT NOT NULL, received INTEGER NOT NULL,
                    attempts INTEGER NOT NULL, due INTEGER NOT NULL, isDead INTEGER NOT NULL,
                    record TEXT NOT NULL, UNIQUE (destination, sequence)
                ) STRICT;
                CREATE INDEX IF NOT EXISTS deliveryByReference ON delivery (reference);
                CREATE TABLE IF NOT EXISTS attempt (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    destination TEXT NOT NULL, sequence INTEGER NOT NULL, reference TEXT NOT NULL,
                    began INTEGER NOT NULL, number INTEGER NOT NULL, status INTEGER,
                    reason TEXT NOT NULL, latency INTEGER NOT NULL, detail TEXT NOT NULL,
                    excerpt TEXT NOT NULL
                ) STRICT;
                CREATE INDEX IF NOT EXISTS attemptByEvent ON attempt (destination, sequence);
                CREATE INDEX IF NOT EXISTS attemptByReference ON attempt (reference);
                CREATE INDEX IF NOT EXISTS attemptByDestination ON attempt (destination, id);
                PRAGMA user_version = 1;
                """)
    }
}
