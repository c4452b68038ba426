import Platform
import PostgreSQL
import PostgreSQLFixture
import Testing

@testable import PostgreSQLStore

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DatabaseCheckTests {
    private let database: Database
    /// A separate server: its setting, and sessions named after Patroni, are visible in all
    /// databases of a server.
    private static let lonely = Result {
        try PostgreSQLServer(settings: ["synchronous_standby_names=other"])
    }

    init() throws { database = try Database() }

    /// The test's server runs with `fsync=off` and without a standby.
    @Test func `it names each setting that breaks the promise with its remedy`() throws {
        try database.install()
        let check = try DatabaseCheck(try database.connect(), database.settings)
        #expect(!check.passes)
        #expect(check.findings.map(\.problem).filter { $0.hasPrefix("fsync is off") }.count == 1)
        #expect(check.findings.contains { !$0.isMistake && $0.remedy.contains("synchronous_mode") })
        #expect(!check.findings.contains { $0.problem.contains("full_page_writes") })
        #expect(check.report.contains { $0.contains("version 1 in the schema ipnd") })
    }

    @Test func `without tables it says how to make them`() throws {
        let check = try DatabaseCheck(try database.connect(), database.settings)
        #expect(check.findings.contains { $0.remedy.contains("ipnd database init") })
    }

    @Test func `a cluster whose standby is away is a mistake`() throws {
        let server = try Self.lonely.get()
        let connection = try PostgresConnection.connect(
            try ConnectionString(server.string()), database.settings, clock: SystemClock())
        let check = try DatabaseCheck(connection, database.settings)
        #expect(
            check.findings.contains { $0.isMistake && $0.problem.contains("every commit waits") })
    }

    @Test func `an old Patroni is seen by the name of its sessions`() throws {
        let server = try Self.lonely.get()
        func connect(_ name: String) throws -> PostgresConnection {
            var settings = database.settings
            settings.applicationName = name
            return try PostgresConnection.connect(
                try ConnectionString(server.string()), settings, clock: SystemClock())
        }
        func check() throws -> DatabaseCheck {
            try DatabaseCheck(try connect("ipnd"), database.settings)
        }
        let recent = try connect("Patroni heartbeat")
        #expect(try check().report.contains { $0.hasSuffix("Patroni 3.2 or later") })
        #expect(try !check().findings.contains { $0.problem.contains("Patroni") })
        let old = try connect("Patroni")
        #expect(
            try check().findings.contains { !$0.isMistake && $0.problem.contains("below 3.0.3") })
        for session in [recent, old] { session.close() }
    }

    private func writer() throws -> String {
        let role = "attacker_\(database.name)"
        try database.psql("CREATE ROLE \(role) LOGIN PASSWORD 'pw'; GRANT ipnd_writer TO \(role)")
        return role
    }

    /// A temporary domain `text` with a check, which would run any code as the owner.
    @Test func `the writer does not become the owner`() throws {
        try database.install()
        let role = try writer()
        // As if the database belonged to another owner.
        try database.psql("GRANT TEMPORARY ON DATABASE \(database.name) TO \(role)")
        let connection = try database.connect(as: role)
        try connection.runScript(
            """
            CREATE FUNCTION pg_temp.strike(value pg_catalog.text) RETURNS boolean LANGUAGE plpgsql
            AS $$ BEGIN RAISE EXCEPTION 'ran as %', current_user; END $$;
            CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (pg_temp.strike(VALUE));
            CREATE DOMAIN pg_temp.bigint AS pg_catalog.int8;
            """, until: .soon)
        for call in [
            "SELECT add_event_partitions(5000000)", "SELECT forget_events(30, 10)",
            "SELECT drop_event_partition(30, 1, '{shop}')", "SELECT see_time(NULL, 0)",
        ] {
            _ = try connection.run(Command(call), until: .soon)
        }
        connection.close()
        #expect(throws: PostgresError.self) {
            try database.connect(as: role).runScript("CREATE TABLE mine ()", until: .soon)
        }
    }

    @Test func `it says where the writer could become the owner`() throws {
        try database.install()
        let role = try writer()
        func problems() throws -> [String] {
            try DatabaseCheck(try database.connect(as: role), database.settings)
                .findings.map(\.problem)
        }
        func names(_ part: String) throws -> Bool { try problems().contains { $0.contains(part) } }
        #expect(try !names("search path"))
        #expect(try !names("may create"))
        try database.psql("ALTER FUNCTION forget_events(integer, integer) SET search_path = ipnd")
        #expect(try names("forget_events runs as its owner"))
        try database.psql("GRANT CREATE ON SCHEMA ipnd TO PUBLIC")
        #expect(try names("may create objects"))
        try database.psql("GRANT TEMPORARY ON DATABASE \(database.name) TO PUBLIC")
        #expect(try names("may create temporary objects"))
        try database.install()
        #expect(try !names("search path"))
        #expect(try !names("may create"))
    }

    @Test func `statistics tell what is there`() throws {
        try database.install()
        let statistics = try DatabaseStatistics.read(try database.connect(), schema: "ipnd")
        #expect(statistics.version == SchemaVersion.current)
        #expect(statistics.sequence == 0)
        #expect(statistics.partitions == 2)
        #expect(statistics.committed == nil)
        #expect(statistics.bytes > 0)
        #expect(statistics.store.count == 32)
        #expect(statistics.chainHead == String(repeating: "0", count: 64))
    }
}
