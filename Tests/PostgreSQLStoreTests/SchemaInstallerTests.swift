import Platform
import PostgreSQL
import PostgreSQLFixture
import Testing

@testable import PostgreSQLStore

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct SchemaInstallerTests {
    private let database: Database

    init() throws { database = try Database() }

    private func failure(_ body: () throws -> Void) -> DatabaseFailure? {
        do {
            try body()
            return nil
        } catch {
            return error as? DatabaseFailure
        }
    }

    @Test func `it makes the tables once and then leaves them alone`() throws {
        #expect(try database.install() == .created)
        let before = try database.psql("SELECT store, hash_key, version FROM meta")
        #expect(try database.install() == .unchanged)
        #expect(try database.psql("SELECT store, hash_key, version FROM meta") == before)
        #expect(try database.psql("SELECT sequence FROM head") == "0")
    }

    @Test func `two at once do the work once`() async throws {
        let database = database
        let outcomes = try await withThrowingTaskGroup(of: SchemaInstaller.Outcome.self) { group in
            for _ in 0..<4 { group.addTask { try database.install() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .created } == 1)
        #expect(outcomes.count { $0 == .unchanged } == 3)
    }

    @Test func `tables of another version are not touched`() throws {
        try database.install()
        try database.psql("UPDATE meta SET version = 99")
        let failure = failure { try database.install() }
        #expect(failure?.isMistake == true)
        #expect(failure?.remedy.contains("newer ipnd") == true)
        #expect(try database.psql("SELECT version FROM meta") == "99")
        try database.psql("UPDATE meta SET version = 0")
        let old = self.failure {
            try SchemaVersion.require(try database.connect(), schema: "ipnd", until: .soon)
        }
        #expect(old?.remedy.contains("database init") == true)
        #expect(self.failure { try database.install() } == old)
        #expect(try database.psql("SELECT version FROM meta") == "0")
    }

    @Test func `where there are no tables init is the remedy`() throws {
        let failure = failure {
            try SchemaVersion.require(try database.connect(), schema: "ipnd", until: .soon)
        }
        #expect(failure?.problem == DatabaseFailure.missing("ipnd").problem)
        #expect(failure?.remedy.contains("database init") == true)
    }

    @Test func `a database of another encoding is refused`() throws {
        try database.server.psql(
            "CREATE DATABASE \(database.name)_latin TEMPLATE template0 ENCODING 'LATIN1'")
        let text = database.server.string(database: "\(database.name)_latin")
        let connection = try PostgresConnection.connect(
            try ConnectionString(text), database.settings, clock: SystemClock())
        let failure = failure {
            _ = try SchemaInstaller(connection, schema: "ipnd").run()
        }
        #expect(failure?.problem.contains("LATIN1") == true)
    }

    @Test func `the writer may do what serving needs the reader only reads the views`() throws {
        try database.install()
        let (writer, reader) = ("writer_\(database.name)", "reader_\(database.name)")
        for (role, group) in [(writer, "ipnd_writer"), (reader, "ipnd_reader")] {
            try database.psql("CREATE ROLE \(role) LOGIN PASSWORD 'pw' IN ROLE \(group)")
        }
        let writing = try database.connect(as: writer)
        #expect(
            try DatabaseCheck(writing, database.settings).findings.allSatisfy {
                !$0.problem.contains("may not")
            })
        _ = try writing.run(Command("SELECT add_event_partitions(3000000)"), until: .soon)
        #expect(throws: PostgresError.self) {
            try writing.run(Command("DROP TABLE event"), until: .soon)
        }
        #expect(throws: PostgresError.self) {
            try writing.run(Command("DELETE FROM event"), until: .soon)
        }
        let reading = try database.connect(as: reader)
        _ = try reading.run(Command("SELECT * FROM orders"), until: .soon)
        _ = try reading.run(Command("SELECT * FROM event_heads"), until: .soon)
        _ = try reading.run(Command("SELECT * FROM destinations"), until: .soon)
        _ = try reading.run(Command("SELECT * FROM deliveries"), until: .soon)
        for forbidden in ["hash_key FROM meta", "* FROM events", "record FROM event"] {
            #expect(throws: PostgresError.self, "\(forbidden)") {
                try reading.run(Command("SELECT \(forbidden)"), until: .soon)
            }
        }
        let missing = try DatabaseCheck(reading, database.settings)
        #expect(!missing.passes)
        #expect(missing.findings.contains { $0.remedy.contains("GRANT ipnd_writer") })
    }

    @Test func `partitions follow each other without gaps`() throws {
        try database.install()
        for through in [1_000_000, 2_500_000, 2_600_000] {
            try database.psql("SELECT add_event_partitions(\(through))")
        }
        let names = try database.psql(
            "SELECT string_agg(inhrelid::regclass::text, ' ' ORDER BY inhrelid::regclass::text) "
                + "FROM pg_inherits WHERE inhparent = 'event'::regclass")
        #expect(names == "event_000000 event_000001 event_000002")
        try database.psql(
            """
            INSERT INTO event SELECT sequence, now(), 0, 'recorded', '{}'
            FROM unnest('{1,999999,1000000,2999999}'::bigint[]) AS sequence
            """
        )
        #expect(try database.psql("SELECT count(*) FROM event_000001") == "1")
    }

    @Test func `the views show what the tables hold NUL characters too`() throws {
        try database.install()
        let record =
            #"{"event":{"kind":"k","status":"s\u0000","expectation":{"metadata":{"mail":"joe"}},"#
            + #""action":{"remote":"192.0.2.1"}},"order":{"reference":"R"},"#
            + #""request":{"body":"joe"},"inquiry":{},"peer":"192.0.2.1"}"#
        try database.psql(
            """
            INSERT INTO endpoint VALUES (0, 'shop');
            INSERT INTO event VALUES (1, now(), 0, 'recorded', convert_to('\(record)', 'UTF8'));
            INSERT INTO order_state (key, endpoint, facts, first, last, created, updated, reference,
                status, flags, metadata)
            VALUES (gen_random_uuid(), 0, '', 1, 1, now(), now(), 'R', 'paid', ',conflict,late,',
                '{"a":1}');
            """)
        #expect(
            try database.psql(
                "SELECT sequence, endpoint, kind, event_status, reference FROM events")
                == "1|shop|k|s\u{fffd}|R")
        #expect(
            try database.psql(
                "SELECT record::jsonb - 'order' FROM event_heads WHERE reference = 'R'")
                == #"{"event": {"kind": "k", "action": {}, "status": "s\#u{fffd}", "#
                + #""expectation": {}}}"#
        )
        #expect(
            try database.psql("SELECT endpoint, reference, status, flags, metadata FROM orders")
                == #"shop|R|paid|{conflict,late}|{"a":1}"#)
    }
}
