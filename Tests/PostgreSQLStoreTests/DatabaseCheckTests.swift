import PostgreSQL
import PostgreSQLFixture
import Testing

@testable import PostgreSQLStore

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DatabaseCheckTests {
    private let database: Database

    init() throws { database = try Database() }

    /// The test's server runs with `fsync=off` and alone.
    @Test func itNamesEachSettingThatBreaksThePromiseWithItsRemedy() throws {
        try database.install()
        let check = try DatabaseCheck(try database.connect(), database.settings)
        #expect(!check.passes)
        #expect(check.findings.map(\.problem).filter { $0.hasPrefix("fsync is off") }.count == 1)
        #expect(check.findings.contains { !$0.isMistake && $0.remedy.contains("synchronous_mode") })
        #expect(!check.findings.contains { $0.problem.contains("full_page_writes") })
        #expect(check.report.contains { $0.contains("version 3 in the schema ipnd") })
    }

    @Test func withoutTablesItSaysHowToMakeThem() throws {
        let check = try DatabaseCheck(try database.connect(), database.settings)
        #expect(check.findings.contains { $0.remedy.contains("ipnd database init") })
    }

    @Test func aClusterWhoseStandbyIsAwayIsAMistake() throws {
        let server = try PostgreSQLServer(settings: ["synchronous_standby_names=other"])
        defer { server.stop() }
        let connection = try PostgresConnection.connect(
            try ConnectionString(server.string()), database.settings)
        let check = try DatabaseCheck(connection, database.settings)
        #expect(
            check.findings.contains { $0.isMistake && $0.problem.contains("every commit waits") })
    }

    @Test func anOldPatroniIsSeenByTheNameOfItsSessions() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        func connect(_ name: String) throws -> PostgresConnection {
            var settings = database.settings
            settings.applicationName = name
            return try PostgresConnection.connect(try ConnectionString(server.string()), settings)
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

    @Test func statisticsTellWhatIsThere() throws {
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
