import Payments
import PostgreSQL
import PostgreSQLFixture
import Store
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Retention over partitions of 1000 events, all of them years old.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DatabaseRetentionTests {
    private let fixture: StoreFixture
    private var database: Database { fixture.database }

    init() async throws {
        fixture = try StoreFixture(installs: false)
        let installer = SchemaInstaller(
            try fixture.database.connect(), schema: "ipnd", partitionEvents: 1000)
        _ = try installer.run()
        let store = fixture.store
        let kept = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<2100 {
                group.addTask {
                    // A slow batch is run again, and may find that it was committed.
                    switch await store.record(.sample("R-\(number)")).outcome {
                    case .recorded, .duplicate: true
                    default: false
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        try #require(kept == 2100)
    }

    private func drop(days: Int = 30) throws -> String {
        try database.psql("SELECT coalesce(drop_event_partition(\(days))::text, 'later')")
    }

    @Test func `whole partitions go and the rest is intact`() async throws {
        #expect(try drop(days: 36_500) == "0", "all of it is younger")
        #expect(try drop() == "999")
        #expect(try drop() == "1999")
        #expect(try drop() == "0", "the record must continue after it")
        let reader = try PortionReader(try database.connect(), schema: "ipnd")
        var verifier = DatabaseVerifier(reader)
        let found = try verifier.run()
        #expect(found.damage == nil)
        #expect(found.droppedThrough == 1999)
        #expect(found.span == 2000...2100)
        #expect(try database.psql("SELECT count(*) FROM order_state") == "2100")
        let repeated = await fixture.store.record(.sample("R-7"))
        guard case .duplicate = repeated.outcome else {
            Issue.record("\(repeated)")
            return
        }
    }

    @Test func `what a destination was not told stays for some days more`() throws {
        func drop(more days: Int, _ names: String) throws -> String {
            try database.psql("SELECT drop_event_partition(30, \(days), '{\(names)}')")
        }
        let store = try database.psql("SELECT store FROM meta")
        #expect(try drop(more: 36_000, "shop") == "0", "it has no cursor yet")
        try database.psql("INSERT INTO destination VALUES ('shop', '\(store)', 998)")
        #expect(try drop(more: 36_000, "shop") == "0")
        try database.psql("UPDATE destination SET cursor = 999")
        #expect(try drop(more: 36_000, "shop,other") == "0")
        #expect(try drop(more: 36_000, "shop") == "999")
        #expect(try drop(more: 36_000, "shop") == "0")
        try database.psql("UPDATE destination SET store = 'former', cursor = 5000")
        #expect(try drop(more: 36_000, "shop") == "0", "it counts in another record")
        #expect(try drop(more: 1, "shop") == "1999", "its time is up")
    }

    @Test func `who reads delays the dropping and not the intake`() async throws {
        let reader = try database.connect()
        _ = try reader.run(
            [Command("BEGIN"), Command("SELECT count(*) FROM event")], until: .soon)
        #expect(try drop() == "later")
        let receipt = await fixture.store.record(.sample("while it is read"))
        guard case .recorded = receipt.outcome else {
            Issue.record("\(receipt)")
            return
        }
        reader.close()
        #expect(try await eventuallyYielding { try drop() == "999" })
    }

    @Test func `another session that is at it is left alone`() throws {
        let other = try database.connect()
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended('ipnd.retain.ipnd', 0))"
        _ = try other.run([Command("BEGIN"), Command(lock)], until: .soon)
        #expect(try drop() == "later")
        #expect(try database.psql("SELECT forget_events(30, 10)") == "0")
    }

    @Test func `old identities are forgotten in portions and orders stay`() async throws {
        #expect(try drop() == "999")
        #expect(try database.psql("SELECT forget_events(30, 5000)") == "0", "they are young")
        let kept = try database.psql("SELECT min(first) FROM batch WHERE first >= 1200")
        try database.psql(
            "UPDATE batch SET committed = committed - interval '31 days' WHERE first < \(kept)")
        #expect(try database.psql("SELECT forget_events(30, 100)") == "100")
        while try database.psql("SELECT forget_events(30, 100)") != "0" {}
        #expect(try database.psql("SELECT min(sequence) FROM identity") == kept)
        #expect(try database.psql("SELECT count(*) FROM order_state") == "2100")
        // The last batch before the first event stays, because the chain continues from it.
        #expect(try database.psql("SELECT count(*) FROM batch WHERE first < 1000") == "1")
        var verifier = DatabaseVerifier(
            try PortionReader(try database.connect(), schema: "ipnd"))
        #expect(try verifier.run().damage == nil)
    }

    /// The server's clock is 500 days ahead: everything recorded before the jump looks old.
    @Test func `a clock that is ahead forgets and drops nothing`() throws {
        try database.psql(
            """
            UPDATE batch SET committed = committed - interval '500 days';
            UPDATE event SET received = now() - interval '500 days';
            UPDATE clock SET seen = now() - interval '500 days';
            """)
        func nothingGoes() throws -> Bool {
            try database.psql("SELECT forget_events(30, 100)") == "0" && drop() == "0"
        }
        #expect(try nothingGoes())
        // A restart counts for a day, and an hour for two at most.
        try database.psql("SELECT see_time(NULL, 0)")
        try database.psql("SELECT see_time(seen, 3600) FROM clock")
        #expect(try nothingGoes())
        let ahead = "extract(day FROM now() - seen)::int"
        #expect(try database.psql("SELECT \(ahead) FROM clock") == "498")
        // Repeated reports count from what was seen: two instances, the same hour.
        let seen = try database.psql("SELECT seen FROM clock")
        for _ in 0..<50 { try database.psql("SELECT see_time('\(seen)', 86400)") }
        #expect(try database.psql("SELECT \(ahead) FROM clock") == "496")
        // When the time has really passed, old events are removed.
        try database.psql("SELECT see_time(seen, 86400 * 500) FROM clock")
        #expect(try database.psql("SELECT seen > now() - interval '1 hour' FROM clock") == "t")
        #expect(try database.psql("SELECT forget_events(30, 100)") == "100")
        #expect(try drop() == "999")
    }

    @Test func `the writer need not own the tables`() throws {
        let role = "writer_\(database.name)"
        try database.psql("CREATE ROLE \(role) LOGIN PASSWORD 'pw'; GRANT ipnd_writer TO \(role)")
        let connection = try database.connect(as: role)
        let row = try connection.run(Command("SELECT drop_event_partition(30)"), until: .soon)
        #expect(try row.integer(0, 0) == 999)
        _ = try connection.run(Command("SELECT forget_events(30, 1)"), until: .soon)
    }

    @Test func `a store drops by itself`() async throws {
        var options = StoreFixture.patientOptions
        options.retains = true
        // A reader of the events delays the drop to the next run.
        options.retentionSeconds = 600
        options.readSecondsMax = 100_000_000
        options.retainDays = 30
        options.retainUndeliveredDays = 36_000
        options.destinations = ["shop"]
        try database.psql("INSERT INTO destination SELECT 'shop', store, 1999 FROM meta")
        let text = database.server.string(database: database.name)
        let clock = ManualClock()
        let store = PostgreSQLStore(
            try ConnectionString(text), database.settings, options: options, clock: clock)
        #expect(
            try await clock.ticks(milliseconds: 600_000) {
                try database.psql("SELECT min(sequence) FROM event") == "2000"
            })
        await store.close()
    }
}
