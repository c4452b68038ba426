import Bytes
import Cryptography
import Platform
import PostgreSQL

/// `ipnd database init`: creates the tables and grants the privileges. Running it again changes
/// nothing.
///
/// It is one transaction under an advisory lock: of several runs at once only one creates the
/// tables, and a run that fails leaves everything as it was.
package struct SchemaInstaller {
    package enum Outcome: Sendable, Equatable {
        case created
        case unchanged
    }

    private let connection: PostgresConnection
    private let schema: String
    private let partitionEvents: Int?
    private let deadline: MonotonicTime

    /// The default number of sequences in a partition of the events, and the allowed range.
    package static let partitionEventsDefault = 1_000_000
    package static let partitionEventsRange = 1000...1_000_000_000

    /// - Parameters:
    ///   - partitionEvents: The size of a partition; nil for the existing size, or the default.
    ///   - seconds: The time limit of the whole run.
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
        if let found {
            guard found == SchemaVersion.current else { throw .version(found) }
            try checkPartitions()
        }
        try attempt { () throws(PostgresError) in
            if found == nil {
                try connection.runScript(SchemaVersion.tables, until: deadline)
                try fill()
            }
            try connection.runScript(rights, until: deadline)
            try connection.runScript("COMMIT", until: deadline)
        }
        return found == nil ? .created : .unchanged
    }

    /// Locks out other runs, creates the schema, and returns the version of the tables; nil if
    /// there are none.
    private func begin() throws(PostgresError) -> Int? {
        // Waiting for the lock may take longer than the statement timeout of a batch.
        try connection.runScript("BEGIN; SET LOCAL statement_timeout = 0", until: deadline)
        let lock = Command("SELECT pg_advisory_xact_lock(hashtextextended('ipnd.init.' || $1, 0))")
        let look = Command("SELECT to_regnamespace(quote_ident($1)) IS NOT NULL")
        _ = try connection.run(lock.with(schema), until: deadline)
        if try connection.run(look.with(schema), until: deadline).integer(0, 0) == 0 {
            try connection.runScript("CREATE SCHEMA \"\(schema)\"", until: deadline)
        }
        let exists = Command("SELECT to_regclass('meta') IS NOT NULL")
        guard try connection.run(exists, until: deadline).integer(0, 0) == 1 else { return nil }
        let result = try connection.run(Command("SELECT version FROM meta"), until: deadline)
        return Int(try result.integer(0, 0))
    }

    /// Throws if another partition size was asked for: existing partitions keep their size.
    private func checkPartitions() throws(DatabaseFailure) {
        guard let partitionEvents else { return }
        let found = try attempt { () throws(PostgresError) in
            let look = Command("SELECT partition_events FROM meta")
            return try connection.run(look, until: deadline).integer(0, 0)
        }
        guard found != partitionEvents else { return }
        throw DatabaseFailure(
            "the tables have partitions of \(found) events, which cannot be changed",
            "leave out --partition-events")
    }

    /// Inserts the initial rows and adds the first partitions.
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

    /// Creates the roles. They belong to the whole database cluster, so they may exist already.
    private func requireRoles() throws(DatabaseFailure) {
        for role in ["ipnd_writer", "ipnd_reader"] {
            do throws(PostgresError) {
                let look = Command("SELECT count(*) FROM pg_roles WHERE rolname = $1")
                if try connection.run(look.with(role), until: deadline).integer(0, 0) > 0 {
                    continue
                }
                try connection.runScript("CREATE ROLE \(role) NOLOGIN", until: deadline)
            } catch {
                // Another run created it first.
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
                    "this user may not create the tables: \(text)",
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
