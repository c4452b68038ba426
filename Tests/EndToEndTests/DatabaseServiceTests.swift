import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// `ipnd serve` with a database: several instances with one record.
@Suite(.ownThreads, .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DatabaseServiceTests {
    /// Two instances on one database, with the same keys and secrets.
    private static func pair() throws -> (first: Instance, second: Instance) {
        let first = try Instance(on: .database)
        let second = try Instance(on: .database, shared: first.database, starts: false)
        for folder in ["keys", "secrets", "sandbox"] {
            try FileManager.default.removeItem(atPath: "\(second.folder)/\(folder)")
            try FileManager.default.copyItem(
                atPath: "\(first.folder)/\(folder)", toPath: "\(second.folder)/\(folder)")
        }
        try second.start()
        return (first, second)
    }

    /// An instance that waits at most two seconds for its database.
    private static func impatient(on database: SharedDatabase) throws -> Instance {
        let instance = try Instance(
            on: .database, shared: database,
            edit: {
                $0.replacingOccurrences(
                    of: "journal: {directory: journal}",
                    with: "database: {connection: {file: secrets/database}, batchSecondsMax: 1, "
                        + "requestSecondsMax: 2}")
            }, starts: false)
        try database.install(instance.configurationFile)
        try instance.start()
        return instance
    }

    private static func pay(_ reference: String, at instance: Instance) throws {
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: reference).request())
    }

    @Test func `all instances tell the same and a duplicate is one everywhere`() throws {
        let (first, second) = try Self.pair()
        let antom = try SandboxProvider("antom", of: first)
        let request = try antom.delivery(.paid, reference: "ONE-1").request()
        for instance in [first, second, first] { try instance.deliver(request) }
        try Self.pay("ONE-2", at: second)
        #expect(try first.records().count == 2)
        let (here, there) = (try first.admin(), try second.admin())
        for target in [
            "/orders/antom/ONE-1", "/orders", "/orders?reference=ONE-2", "/events?limit=10",
        ] {
            let answers = try [here, there].map { try $0.get(target) }
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers[0].body == answers[1].body, "\(target)")
        }
        // A feed position of one instance is valid at the other, which may not have read as far
        // yet.
        try Self.pay("ONE-3", at: first)
        let store = try #require(try here.get("/events").object()["store"] as? String)
        let page = try there.get("/events?after=3&store=\(store)")
        #expect(page.status == 200)
        #expect(try there.get("/events?after=4").code == "position_ahead")
    }

    @Test func `readers of one instance are woken by the other`() throws {
        let (first, second) = try Self.pair()
        let (reader, held) = (try second.admin(), try second.admin())
        try Self.pay("WAKE-1", at: first)
        let stream = try EventReader(second)
        #expect(try stream.ids(1) == [1])
        try reader.send("GET", "/orders/antom/WAKE-2?wait=60")
        try held.send("GET", "/events?after=1&wait=60")
        // Both long polls are held until something is recorded.
        #expect(try second.order("antom", "WAKE-2") == nil)
        try Self.pay("WAKE-2", at: first)
        // The end of `wait` would give 404 and an empty page.
        #expect(try reader.client.receive().status == 200)
        let page = try held.client.receive().object()
        #expect((page["events"] as? [Any])?.count == 1)
        #expect(try stream.ids(1) == [2])
    }

    @Test func `what is expected stands for all instances`() throws {
        let (first, second) = try Self.pair()
        let (here, there) = (try first.admin(), try second.admin())
        let body = #"{"amount":{"minor":4200,"currency":"MYR"}}"#
        #expect(try here.post("/orders/antom/EXP-1", body).status == 201)
        #expect(try there.post("/orders/antom/EXP-1", body).status == 200)
        let other = #"{"amount":{"minor":4300,"currency":"MYR"}}"#
        #expect(try there.post("/orders/antom/EXP-1", other).code == "expectation_differs")
    }

    /// Each state change is logged once; the senders retry, and nothing is lost.
    @Test func `while the database is away every answer says so and it comes back by itself`()
        throws
    {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let database = try SharedDatabase(on: server)
        let instance = try Self.impatient(on: database)
        try Self.pay("AWAY-1", at: instance)
        let admin = try instance.admin()
        #expect(try admin.get("/readyz").status == 200)
        server.pause()
        let antom = try SandboxProvider("antom", of: instance)
        let request = try antom.delivery(.paid, reference: "AWAY-2").request()
        let client = try instance.client()
        try client.send(request)
        let refused = try client.receive()
        #expect(refused.status == 503)
        #expect(refused.fields["retry-after"] != nil)
        let ready = try admin.get("/readyz")
        #expect(ready.status == 503)
        #expect(ready.body.hasPrefix("not ready: database_"))
        #expect(try admin.get("/orders/antom/AWAY-1").code == "database_unavailable")
        for _ in 1...3 {
            try client.send(request)
            #expect(try client.receive().status == 503)
        }
        let metrics = try admin.get("/metrics").body
        #expect(metrics.contains("ipnd_database_up 0\n"))
        #expect(
            metrics.contains(#"{endpoint="antom",outcome="unavailable"} 4"#), "\(metrics)")
        server.resume()
        let isBack = try eventually { try admin.get("/readyz").status == 200 }
        #expect(isBack)
        try client.send(request)
        #expect(try client.receive().status == 200)
        #expect(try instance.order("antom", "AWAY-2")?["status"] as? String == "paid")
        #expect(try instance.records().count == 2)
        let lines = instance.logText.split(separator: "\n").filter { $0.contains(" database: ") }
        #expect(lines.count { $0.contains(" error ") } <= 2, "\(lines)")
        #expect(lines.last?.contains("database: connected") == true, "\(lines)")
    }

    /// A failure of a reachable database, and its end.
    private static let troubles: [(String, String, String)] = [
        (
            "full",
            """
            CREATE FUNCTION ipnd.no_room() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE 'no room' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER no_room BEFORE INSERT ON ipnd.batch
                EXECUTE FUNCTION ipnd.no_room()
            """, "DROP TRIGGER no_room ON ipnd.batch"
        ),
        (
            "read-only",
            """
            ALTER DATABASE %@ SET default_transaction_read_only = on;
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = '%@' AND pid <> pg_backend_pid()
            """,
            """
            BEGIN READ WRITE; ALTER DATABASE %@ RESET default_transaction_read_only; COMMIT
            """
        ),
        (
            "slow",
            """
            CREATE FUNCTION ipnd.slow() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_sleep_for('5 s'); RETURN NEW; END $$;
            CREATE TRIGGER slow BEFORE INSERT ON ipnd.batch FOR EACH ROW
                EXECUTE FUNCTION ipnd.slow()
            """, "DROP TRIGGER slow ON ipnd.batch"
        ),
    ]

    @Test(arguments: Self.troubles)
    func `a database in trouble is answered 503 and nothing is lost`(
        name: String, begin: String, end: String
    ) throws {
        let database = try SharedDatabase()
        let instance = try Self.impatient(on: database)
        try Self.pay("T-1", at: instance)
        func sql(_ text: String) throws {
            try database.server.psql(
                text.replacingOccurrences(of: "%@", with: database.name), database: database.name)
        }
        try sql(begin)
        let antom = try SandboxProvider("antom", of: instance)
        let request = try antom.delivery(.paid, reference: "T-2").request()
        let client = try instance.client()
        try client.send(request)
        let refused = try client.receive()
        #expect(refused.status == 503)
        #expect(refused.fields["retry-after"] != nil)
        #expect(try instance.admin().get("/readyz").status == 503)
        try sql(end)
        let isBack = try eventually {
            try client.send(request)
            return try client.receive().status == 200
        }
        #expect(isBack, "\(instance.logText)")
        #expect(try instance.references() == ["T-1", "T-2"])
        #expect(try instance.admin().get("/readyz").status == 200)
    }

    @Test func `tables of another version and a missing privilege end the start`() throws {
        let database = try SharedDatabase()
        let instance = try Instance(on: .database, shared: database, starts: false)
        try database.install(instance.configurationFile)
        let role = "plain_\(database.name)"
        try database.server.psql("CREATE ROLE \(role) LOGIN PASSWORD 'Zaubernuss-7'")
        try database.server.psql(
            "GRANT ipnd_reader TO \(role); GRANT SELECT ON ipnd.meta TO \(role)",
            database: database.name)
        try instance.connect(
            to: "host=127.0.0.1 port=\(database.server.port) dbname=\(database.name) "
                + "user=\(role) password=Zaubernuss-7")
        let refused = try #require(throws: Instance.NotReady.self) { try instance.start() }
        #expect(refused.status == 78)
        #expect(eventually { instance.logText.contains("GRANT ipnd_writer TO") })
        try instance.connect(to: database.connection)
        try database.server.psql("UPDATE ipnd.meta SET version = 99", database: database.name)
        let other = try #require(throws: Instance.NotReady.self) { try instance.start() }
        #expect(other.status == 78)
        #expect(eventually { instance.logText.contains("newer ipnd") })
    }

    @Test func `it starts without the database and serves when it comes`() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let database = try SharedDatabase(on: server)
        let instance = try Instance(on: .database, shared: database, starts: false)
        try database.install(instance.configurationFile)
        let port = try FreePort.take()
        try instance.connect(
            to: "host=127.0.0.1 port=\(port) user=postgres dbname=\(database.name)")
        try instance.start()
        let admin = try instance.admin()
        #expect(try admin.get("/readyz").status == 503)
        #expect(try admin.get("/events").code == "database_unavailable")
        #expect(try admin.get("/orders").code == "database_unavailable")
        #expect(eventually { instance.logText.contains("warning database: ") })
        #expect(instance.stop() == 0)
    }

    /// An invalid `database` setting, and a part of the message.
    @Test(arguments: [
        ("user=nobody password=Zaubernuss-7", "user and password"),
        ("user=postgres dbname=none", "create it"),
        ("user=postgres", "ipnd database init"),
        ("user=postgres dbnme=none", "did you mean `dbname`?"),
    ])
    func `a mistake ends the start with 78 and one line`(options: String, words: String) throws {
        let server = try PostgreSQLServer.common()
        let instance = try Instance(
            on: .database, shared: try SharedDatabase(), starts: false)
        let name = instance.database?.name ?? ""
        try instance.connect(to: "host=127.0.0.1 port=\(server.port) dbname=\(name) \(options)")
        let error = try #require(throws: Instance.NotReady.self) { try instance.start() }
        #expect(error.status == 78)
        let isLogged = eventually { instance.logText.contains(words) }
        #expect(isLogged, "\(instance.logText)")
        #expect(!instance.logText.contains("Zaubernuss"))
    }
}
