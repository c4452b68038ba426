import Platform
import PostgreSQLFixture
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct ConnectingTests {
    private let server: PostgreSQLServer
    private let password = "Zaubernuss-7"
    private var local: String { "host=127.0.0.1 port=\(server.port)" }

    init() throws { server = try .common() }

    private func connect(_ text: String) throws(PostgresError) -> PostgresConnection {
        try Self.connect(text, connectSecondsMax: 60, clock: SystemClock())
    }

    private static func connect(
        _ text: String, connectSecondsMax: Int, clock: any Clock
    ) throws(PostgresError) -> PostgresConnection {
        guard let string = try? ConnectionString(text) else { throw .settings("in the test") }
        var settings = SessionSettings(schema: "public")
        settings.connectSecondsMax = connectSecondsMax
        return try PostgresConnection.connect(string, settings, clock: clock)
    }

    private func failure(_ text: String) -> PostgresError? {
        do throws(PostgresError) {
            _ = try connect(text)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a session has everything pinned whatever role and database say`() throws {
        let database = try server.newDatabase()
        try server.psql(
            """
            ALTER DATABASE \(database) SET client_min_messages = error;
            ALTER DATABASE \(database) SET synchronous_commit = off;
            ALTER DATABASE \(database) SET lock_timeout = 0;
            """)
        let connection = try connect(server.string(database: database))
        let pinned = [
            "client_min_messages": "warning", "synchronous_commit": "on", "lock_timeout": "5s",
            "statement_timeout": "10s", "idle_in_transaction_session_timeout": "10s",
            "search_path": "\"public\", pg_temp", "application_name": "ipnd",
        ]
        for (name, value) in pinned {
            let command = Command("SELECT current_setting($1)").with(name)
            #expect(try connection.run(command, until: .soon).text(0, 0) == value, "\(name)")
        }
        #expect(connection.serverVersion >= 130_000)
    }

    @Test func `a wrong password is refused with its code and never shown`() throws {
        try server.psql("CREATE ROLE wrong_password LOGIN PASSWORD 'other'")
        let error = failure(
            "\(local) user=wrong_password password=\(password) dbname=postgres"
        )
        guard case .refused(.wrongPassword, let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!text.contains(password))
        #expect(error?.reason == "database_not_authorized")
    }

    /// A role's password may be its name: then the server's message would reveal it.
    @Test func `a password in the server's message is taken out`() throws {
        let error = failure(
            "\(local) user=\(password) password=\(password) dbname=postgres"
        )
        #expect(error != nil)
        #expect("\(String(describing: error))".contains(password) == false)
        #expect("\(String(describing: error))".contains("…"))
    }

    @Test func `a database that is not there is told by its code`() {
        guard case .refused(.missingDatabase, _) = failure(server.string(database: "none")) else {
            Issue.record("3D000 was expected")
            return
        }
    }

    @Test(arguments: [
        "sslmode=requir", "port=x", "service=none-such", "channel_binding=maybe",
        "port=1,2,3",
    ])
    func `what libpq refuses is a mistake of the settings`(option: String) {
        guard case .settings = failure("host=127.0.0.1 \(option)") else {
            Issue.record("a mistake was expected")
            return
        }
    }

    @Test func `hosts are tried in their order until one takes writes`() throws {
        let port = server.port
        let connection = try connect(
            "host=127.0.0.1,127.0.0.1 port=1,\(port) user=postgres dbname=postgres")
        #expect(connection.host == "127.0.0.1:\(port)")
        guard case .unreachable(let text) = failure("host=127.0.0.1 port=1") else {
            Issue.record("nothing listens on port 1")
            return
        }
        #expect(text.contains("127.0.0.1:1"))
    }

    @Test func `a fenced server is read-only`() throws {
        let database = try server.newDatabase()
        try server.psql("ALTER DATABASE \(database) SET default_transaction_read_only = on")
        guard case .readOnly = failure(server.string(database: database)) else {
            Issue.record("it takes no writes")
            return
        }
    }

    @Test func `a host that accepts and then says nothing costs connect seconds max`() async throws
    {
        let silent = try SilentListener()
        let clock = ManualClock()
        let end = clock.now.advanced(seconds: 2)
        async let failure = onOwnThread { [port = silent.port] () -> PostgresError? in
            do throws(PostgresError) {
                _ = try Self.connect(
                    "host=127.0.0.1 port=\(port)", connectSecondsMax: 2, clock: clock)
                return nil
            } catch {
                return error
            }
        }
        #expect(await eventuallyYielding { clock.nextDeadline == end })
        clock.advance(seconds: 2)
        guard case .unreachable(let text) = try await failure else {
            Issue.record("there is no server")
            return
        }
        #expect(text.contains("2 s"))
        withExtendedLifetime(silent) {}
    }
}
