import Bytes
import Cryptography
import GRDB
import Journal
import JournalStore
import Payments
import Platform
import Records
import Store
import Synchronization

/// A search index of orders, in SQLite. It is filled from the journal and may be deleted at any
/// time: it is then rebuilt.
package final class OrderIndex: Sendable {
    let database: any DatabaseWriter
    /// Threads that wait for one of the connections would be missing elsewhere.
    private let turns = Turns(readersMax)
    private static let readersMax = 4
    /// Its time decides which orders are overdue.
    private let clock: any Clock
    private let position: Atomic<UInt64>
    /// Nil in memory.
    private let place: IndexPlace?

    /// The file's name in the index's directory.
    package static let fileName = "orders.sqlite"
    /// Most records of one transaction.
    static let recordsPerTransaction = 10_000
    /// Records indexed between two pauses while catching up from the journal's files: about a
    /// millisecond of work.
    private static let recordsPerBreath: UInt64 = 256
    /// Least records between two pauses while keeping up: few, so that the intake is not delayed on
    /// a shared processor.
    static let newRecordsPerBreathMin = 96
    /// Most pauses in one transaction, so that they do not make the index fall behind.
    static let slicesMax = 128
    /// Pages of 4 KiB after which the write-ahead log is copied into the database.
    private static let checkpointPages = 4000

    /// Opens or makes the index in `directory`, and checks all of it. One that does not belong to
    /// this journal, has another version or is damaged is deleted first. Throws `DatabaseError`.
    package convenience init(
        directory: String, journal: String, clock: any Clock
    ) throws {
        let path = Self.path(in: directory)
        do {
            try self.init(opening: path, clock)
            try check()
            if try fits(journal) { return }
            try database.close()
        } catch  where IndexDamage.isReported(by: error) {
            // It is not a usable index.
        }
        IndexFiles.remove(path)
        try self.init(opening: path, clock)
    }

    static func path(in directory: String) -> String { "\(directory)/\(fileName)" }

    private convenience init(opening path: String, _ clock: any Clock) throws {
        try IndexFiles.makeDirectory(of: path)
        try IndexFiles.mapNothing()
        var configuration = Configuration()
        configuration.label = "ipnd-index"
        configuration.maximumReaderCount = Self.readersMax
        configuration.prepareDatabase { database in
            // Synced at checkpoints only: records that a power cut loses are read from the journal
            // again.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // A page that many transactions change is copied into the database once.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(Self.checkpointPages)")
        }
        try self.init(
            opened: try DatabasePool(path: path, configuration: configuration), path: path,
            clock)
    }

    /// An index in memory, for commands that read a journal directly.
    package convenience init(clock: any Clock) throws {
        try self.init(opened: try DatabaseQueue(), path: nil, clock)
    }

    private init(
        opened database: any DatabaseWriter, path: String?, _ clock: any Clock
    ) throws {
        self.database = database
        self.clock = clock
        let sequence = try database.write { database in
            if try !IndexSchema.isCurrent(database), try !database.tableExists("orders") {
                try IndexSchema.create(database)
            }
            return try Int64.fetchOne(database, sql: "SELECT sequence FROM position") ?? 0
        }
        position = Atomic(UInt64(clamping: sequence))
        place = path.map(IndexPlace.init)
    }

    /// Whether its files are still those that were opened.
    var isInPlace: Bool { place?.isUntouched ?? true }

    /// Reads every page, and compares the tables with their indexes. SQLite has no checksums: a
    /// flipped bit inside an amount is not found here, but values are checked again when they are
    /// decoded. Throws `IndexDamage`.
    private func check() throws {
        let verdict = try database.read { database in
            try String.fetchOne(database, sql: "PRAGMA integrity_check(1)")
        }
        guard verdict == "ok" else { throw IndexDamage("integrity check: \(verdict ?? "silent")") }
    }

    /// The last record that is in the index.
    package var indexedSequence: UInt64 { position.load(ordering: .acquiring) }

    /// Whether the last indexed record is the one that the journal has at that place.
    private func fits(_ journal: String) throws -> Bool {
        let noted = try database.read { database in
            guard try IndexSchema.isCurrent(database) else { return nil as String? }
            return try String.fetchOne(database, sql: "SELECT digest FROM position") ?? ""
        }
        guard let noted else { return false }
        guard indexedSequence > 0 else { return true }
        // A journal that does not have the record is another one, too.
        let found = try? Self.digest(of: indexedSequence, in: journal)
        return found == noted
    }

    private static func digest(of sequence: UInt64, in journal: String) throws -> String? {
        var reader = try JournalRecords.reader(journal, after: sequence - 1)
        var found: String?
        _ = try reader.read(limit: 1) {
            if $0 == sequence { found = digest(try RecordHead.bytes(of: $1)) }
        }
        return found
    }

    /// Adds the next records of `reader`, at most through `durable`, in one transaction. Returns
    /// the number of records. When it throws, nothing has changed, and the place of the reader is
    /// undefined. `pause` is called now and then, so that other threads get the processor.
    package func fill(
        from reader: inout JournalReader, through durable: UInt64, pause: () -> Void = {}
    ) throws -> Int {
        guard reader.lastSequence < durable else { return 0 }
        let limit = min(
            Self.recordsPerTransaction, Int(clamping: durable - reader.lastSequence))
        return try write { writer in
            var last: [UInt8] = []
            let count = try reader.read(limit: limit) { sequence, record in
                try writer.put(record)
                if sequence % Self.recordsPerBreath == 0 { pause() }
                last.removeAll(keepingCapacity: true)
                last.append(contentsOf: record)
            }
            let head = try last.withUnsafeBytes { count > 0 ? try RecordHead.bytes(of: $0) : [] }
            return (count, reader.lastSequence, head)
        }
    }

    /// Adds those of `rows` that are not in the index yet, in one transaction. Returns the number
    /// of records. Throws `DatabaseError`.
    package func fill(from rows: OrderRows, pause: () -> Void = {}) throws -> Int {
        let indexed = indexedSequence
        guard rows.end > indexed + 1 else { return 0 }
        let perBreath = UInt64(max(Self.newRecordsPerBreathMin, rows.count / Self.slicesMax))
        let start = max(rows.first, indexed + 1)
        return try write { writer in
            var paused = start
            for row in rows.rows where row.sequence > indexed {
                try writer.put(row)
                while row.sequence + 1 - paused >= perBreath {
                    pause()
                    paused += perBreath
                }
            }
            return (Int(rows.end - start), rows.end - 1, rows.lastHead)
        }
    }

    /// Runs `fill` in a transaction. It writes records, and returns their number, the last sequence
    /// and the head of the last record.
    private func write(
        _ fill: (IndexWriter) throws -> (count: Int, last: UInt64, head: [UInt8])
    ) throws -> Int {
        let filled = try database.write { database in
            let writer = try IndexWriter(database)
            let filled = try fill(writer)
            if filled.count > 0 {
                try writer.put(position: filled.last, digest: Self.digest(filled.head))
            }
            return filled
        }
        if filled.count > 0 { position.store(filled.last, ordering: .releasing) }
        return filled.count
    }

    /// Reads in a thread that may block.
    private func read<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await turns.take { () async throws in
            try await WorkerPool.shared.run { () throws in try database.read(body) }
        }
    }

    /// Returns the number of overdue orders.
    package func overdueCount() async throws -> Int {
        let now = clock.wallMicroseconds
        return try await read { database in
            try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM orders WHERE \(OrderQuery.overdueCondition)",
                arguments: [now]) ?? 0
        }
    }

    /// Returns captured money by the hour. Throws `DatabaseError`.
    package func paidHours(since time: Timestamp) async throws -> PaidHours {
        try await read { database in
            let newest = "(SELECT * FROM orders ORDER BY first DESC LIMIT \(PaidHours.ordersMax))"
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT created / ?2 * ?2 AS hour, endpoint, currency, count(*) AS number,
                        sum(captured) AS total
                    FROM \(newest) WHERE created >= ?1 AND \(PaidHours.condition)
                        AND instr(',' || flags || ',', ',\(PaidHours.testFlag),') = 0
                    GROUP BY hour, endpoint, currency ORDER BY hour, endpoint, currency
                    """, arguments: [time.microseconds, PaidHours.hourMicroseconds])
            let oldest = try Int64.fetchOne(
                database,
                sql: "SELECT created FROM orders ORDER BY first DESC LIMIT 1 OFFSET ?",
                arguments: [PaidHours.ordersMax])
            return PaidHours(
                rows: try rows.map { try PaidHours.Row($0) },
                isCut: oldest.map { $0 >= time.microseconds } ?? false)
        }
    }

    private static func digest(_ head: [UInt8]) -> String { Hex.encode(SHA256.hash(head)) }
}

extension OrderIndex {
    /// Returns orders, the newest first, and whether there are more. Throws `DatabaseError`.
    package func page(_ query: OrderQuery, limit: Int) async throws -> OrderListPage {
        let now = Timestamp(microseconds: clock.wallMicroseconds)
        let orders = try await read { database in
            try query.fetch(database, limit: limit + 1, now: now)
        }
        return OrderListPage(orders: orders, limit: limit)
    }
}

extension OrderIndex {
    /// The condition of the SQL index `ordersOpen`, word for word: otherwise SQLite does not use
    /// it.
    static let openCondition =
        "(status IN ('pending', 'authorized', 'review') OR (status = 'failed' "
        + "AND expires > updated) OR instr(flags, ',unconfirmed,') > 0 "
        + "OR instr(flags, ',amount_unknown,') > 0) AND reference IS NOT NULL"

    static let openQuery = """
        SELECT first, last, reference, updated, expires FROM orders INDEXED BY ordersOpen
        WHERE endpoint = ?1 AND \(openCondition) AND updated >= ?2 AND updated <= ?3
            AND (updated > ?2 OR first > ?4) AND max(coalesce(expires, updated), updated) >= ?5
        ORDER BY updated, first LIMIT ?6
        """

    func oldestOpen(_ endpoint: String) async throws -> Timestamp? {
        try await read { database in
            try Int64.fetchOne(
                database,
                sql: "SELECT min(updated) FROM orders INDEXED BY ordersOpen "
                    + "WHERE endpoint = ? AND \(Self.openCondition)",
                arguments: [endpoint]
            ).map(Timestamp.init(microseconds:))
        }
    }

    func open(_ query: OpenOrderQuery) async throws -> OpenOrderPage {
        try await read { database in
            let statement = try database.cachedStatement(sql: Self.openQuery)
            var found: [[OpenOrder]] = []
            var room = query.limit
            for span in query.spans {
                guard room > 0 else { break }
                let orders = try Row.fetchAll(
                    statement,
                    arguments: [
                        query.endpoint, span.after.microseconds, span.through.microseconds,
                        Int64(clamping: span.afterFirst), query.activeSince.microseconds, room,
                    ]
                ).map { row in
                    OpenOrder(
                        first: UInt64(clamping: try row.decode(Int64.self, forColumn: "first")),
                        last: UInt64(clamping: try row.decode(Int64.self, forColumn: "last")),
                        reference: try row.decode(forColumn: "reference"),
                        updated: Timestamp(microseconds: try row.decode(forColumn: "updated")),
                        expires: try row.decode(Int64?.self, forColumn: "expires")
                            .map(Timestamp.init(microseconds:)))
                }
                found.append(orders)
                room -= orders.count
            }
            return OpenOrderPage(found, of: query)
        }
    }
}

extension ServedIndex: OpenOrders {
    package func oldestOpen(_ endpoint: String) async throws(ReadFailure) -> Timestamp? {
        try await read { index in try await index.oldestOpen(endpoint) }
    }

    package func open(_ query: OpenOrderQuery) async throws(ReadFailure) -> OpenOrderPage {
        try await read { index in try await index.open(query) }
    }
}
