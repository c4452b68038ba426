import Bytes
import Cryptography
import Platform
import PostgreSQL

/// `ipnd database init`: makes the tables or upgrades them. Run again, it changes nothing.
///
/// All of it is one transaction under an advisory lock, so that two that run at once do it once,
/// and one that fails leaves everything as it was.
package struct SchemaInstaller {
    package enum Outcome: Sendable, Equatable {
        case created
        case upgraded(from: Int)
        case unchanged
    }

    private let connection: PostgresConnection
    private let schema: String
    private let partitionEvents: Int?
    private let deadline: MonotonicTime

    /// How many sequences a partition of the events holds where nobody says otherwise, and what may
    /// be said.
    package static let partitionEventsDefault = 1_000_000
    package static let partitionEventsRange = 1000...1_000_000_000

    /// - Parameters:
    ///   - partitionEvents: The size of a partition; nil takes that of the tables, or the default.
    ///   - seconds: For all of it.
    package init(
        _ connection: PostgresConnection, schema: String, partitionEvents: Int? = nil,
        seconds: Int = 600
    ) {
        self.connection = connection
        self.schema = schema
        self.partitionEvents = partitionEvents
        deadline = connection.clock.now.advanced(seconds: seconds)
    }

    package func run() throws(DatabaseFailure) -> Outcome {
        // Until the commit, closing the connection undoes everything.
        defer { connection.close() }
        let isUTF8 = try attempt { () throws(PostgresError) in
            try connection.run(Command("SHOW server_encoding"), until: deadline).text(0, 0)
        }
        guard isUTF8 == "UTF8" else {
            throw DatabaseFailure(
                "the database's encoding is \(isUTF8)", "create one with ENCODING 'UTF8'")
        }
        try requireRoles()
        let found = try attempt { () throws(PostgresError) in try begin() }
        guard (0...SchemaVersion.current).contains(found) else {
            throw .version(found, wanted: SchemaVersion.current)
        }
        if found > 0 { try checkPartitions() }
        try attempt { () throws(PostgresError) in
            for script in SchemaVersion.scripts[found...] {
                try connection.runScript(script, until: deadline)
            }
            if found == 0 { try fill() }
            let note = Command("UPDATE meta SET version = $1 WHERE version <> $1")
            _ = try connection.run(note.with(Int64(SchemaVersion.current)), until: deadline)
            try connection.runScript(rights, until: deadline)
            try connection.runScript("COMMIT", until: deadline)
        }
        if found == 0 { return .created }
        return found < SchemaVersion.current ? .upgraded(from: found) : .unchanged
    }

    /// Locks out other runs, makes the schema, and returns the version of the tables; 0 of none.
    private func begin() throws(PostgresError) -> Int {
        // Building an index of a large table takes longer than what a batch may.
        try connection.runScript("BEGIN; SET LOCAL statement_timeout = 0", until: deadline)
        let lock = Command("SELECT pg_advisory_xact_lock(hashtextextended('ipnd.init.' || $1, 0))")
        let look = Command("SELECT to_regnamespace(quote_ident($1)) IS NOT NULL")
        _ = try connection.run(lock.with(schema), until: deadline)
        if try connection.run(look.with(schema), until: deadline).integer(0, 0) == 0 {
            try connection.runScript("CREATE SCHEMA \"\(schema)\"", until: deadline)
        }
        let exists = Command("SELECT to_regclass('meta') IS NOT NULL")
        guard try connection.run(exists, until: deadline).integer(0, 0) == 1 else { return 0 }
        let result = try connection.run(Command("SELECT version FROM meta"), until: deadline)
        return Int(try result.integer(0, 0))
    }

    /// Partitions that are there keep their size.
    private func checkPartitions() throws(DatabaseFailure) {
        guard let partitionEvents else { return }
        let found = try attempt { () throws(PostgresError) in
            let look = Command("SELECT partition_events FROM meta")
            return try connection.run(look, until: deadline).integer(0, 0)
        }
        guard found != partitionEvents else { return }
        throw DatabaseFailure(
            "the tables have partitions of \(found) events, which stays so",
            "leave out --partition-events")
    }

    /// The rows that are there from the beginning.
    private func fill() throws(PostgresError) {
        let size = Int64(partitionEvents ?? Self.partitionEventsDefault)
        let meta = Command(
            """
            INSERT INTO meta (version, store, hash_key, partition_events) VALUES ($1, $2, $3, $4)
            """)
        let head = Command("INSERT INTO head (sequence, chain) VALUES (0, $1)")
        _ = try connection.run(
            [
                meta.with(Int64(SchemaVersion.current)).with(Hex.encode(secureRandomBytes(16)))
                    .with(secureRandomBytes(16)).with(size),
                head.with([UInt8](repeating: 0, count: 32)),
                Command("SELECT add_event_partitions($1)").with(size),
            ], until: deadline)
    }

    private var rights: String {
        "GRANT USAGE ON SCHEMA \"\(schema)\" TO ipnd_writer, ipnd_reader;\n" + SchemaVersion.rights
    }

    /// Roles belong to the whole cluster of databases, so they may be there already.
    private func requireRoles() throws(DatabaseFailure) {
        for role in ["ipnd_writer", "ipnd_reader"] {
            do throws(PostgresError) {
                let look = Command("SELECT count(*) FROM pg_roles WHERE rolname = $1")
                if try connection.run(look.with(role), until: deadline).integer(0, 0) > 0 {
                    continue
                }
                try connection.runScript("CREATE ROLE \(role) NOLOGIN", until: deadline)
            } catch {
                // Another run was faster.
                if case .statement(.duplicateObject, _) = error { continue }
                if case .statement(.notUnique, _) = error { continue }
                guard case .statement(.missingPrivilege, _) = error else {
                    throw DatabaseFailure(error, schema: schema)
                }
                throw DatabaseFailure(
                    "the role \(role) is missing, and this user may not create it",
                    "as an administrator: CREATE ROLE ipnd_writer NOLOGIN; "
                        + "CREATE ROLE ipnd_reader NOLOGIN")
            }
        }
    }

    @discardableResult
    private func attempt<Answer>(
        _ body: () throws(PostgresError) -> Answer
    ) throws(DatabaseFailure) -> Answer {
        do throws(PostgresError) { return try body() } catch {
            if case .statement(.missingPrivilege, let text) = error {
                throw DatabaseFailure(
                    "this user may not make the tables: \(text)",
                    "run `ipnd database init` as the owner of the schema, or GRANT CREATE ON "
                        + "DATABASE to this user")
            }
            if case .statement(.lockTimeout, _) = error {
                throw DatabaseFailure(
                    "another session holds the tables or runs `ipnd database init`",
                    "wait for it and try again", isMistake: false)
            }
            throw DatabaseFailure(error, schema: schema)
        }
    }
}
