import Platform
import PostgreSQLFixture
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQL

extension MonotonicTime {
    static var soon: MonotonicTime { SystemClock().now.advanced(seconds: 60) }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct RoundTripTests {
    private let server: PostgreSQLServer
    private let connection: PostgresConnection
    private let database: String

    init() throws {
        server = try .common()
        database = try server.newDatabase()
        connection = try PostgresConnection.connect(
            try ConnectionString(server.string(database: database)),
            SessionSettings(schema: "public"), clock: SystemClock())
    }

    @Test func `values of every type come back as they went`() throws {
        let command = Command("SELECT $1, $2, $3, $4, $5 IS NULL")
            .with(Int64.min).with("Grüße \u{0}".replacing("\u{0}", with: "")).with([0, 255, 10])
            .with(true).with(String?.none)
        let result = try connection.run(command, until: .soon)
        #expect(try result.integer(0, 0) == .min)
        #expect(try result.text(0, 1) == "Grüße ")
        #expect(try result.bytes(0, 2) == [0, 255, 10])
        #expect(try result.integer(0, 3) == 1)
        #expect(try result.integer(0, 4) == 1)
        #expect(
            try connection.run(Command("SELECT $1").with([UInt8]()), until: .soon).bytes(0, 0) == []
        )
    }

    @Test func `columns make rows empty ones none`() throws {
        var (numbers, texts, keys, times, flags) = (
            Column(.int8), Column(.text), Column(.uuid), Column(.timestamp), Column(.bool)
        )
        for index in 0..<3 {
            numbers.append(Int64(index) - 1)
            texts.append(index == 1 ? nil : "t\(index)")
            keys.append(high: .max, low: UInt64(index))
            times.append(microseconds: Int64(index))
            flags.append(index == 2)
        }
        let command = Command(
            "SELECT * FROM unnest($1, $2, $3, $4, $5)"
        ).with(numbers).with(texts).with(keys).with(times).with(flags)
        let result = try connection.run(command, until: .soon)
        #expect(result.rowCount == 3)
        #expect(try result.integer(0, 0) == -1)
        #expect(result.isNull(1, 1))
        #expect(try result.text(2, 1) == "t2")
        #expect(try result.uuid(2, 2) == (high: .max, low: 2))
        #expect(try result.microseconds(1, 3) == 1)
        #expect(try result.integer(2, 4) == 1)
        let none = try connection.run(
            Command("SELECT * FROM unnest($1)").with(Column(.bytes)), until: .soon)
        #expect(none.rowCount == 0)
        let array = try connection.run(Command("SELECT ARRAY[3,-4]::bigint[]"), until: .soon)
        #expect(try array.integers(0, 0) == [3, -4])
    }

    @Test func `several statements are one round trip and a failure undoes all`() throws {
        try connection.runScript("CREATE TABLE t (n bigint PRIMARY KEY)", until: .soon)
        let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES ($1)")
        _ = try connection.run(
            [Command(insert).with(1), Command(insert).with(2)], until: .soon)
        #expect(throws: PostgresError.self) {
            try connection.run([Command(insert).with(3), Command(insert).with(1)], until: .soon)
        }
        #expect(connection.isOpen)
        let count = try connection.run(Command("SELECT count(*) FROM t"), until: .soon)
        #expect(try count.integer(0, 0) == 2)
    }

    @Test func `a statement that failed says its code`() throws {
        do {
            _ = try connection.run(Command("SELECT * FROM nowhere"), until: .soon)
            Issue.record("there is no such table")
        } catch {
            #expect(error == .statement(.missingTable, #"relation "nowhere" does not exist"#))
        }
    }

    @Test func `much in both directions does not block`() throws {
        let bytes = [UInt8](repeating: 7, count: 4 << 20)
        let commands = (0..<8).map { _ in Command("SELECT $1").with(bytes) }
        let results = try connection.run(commands, until: .soon)
        #expect(try results.allSatisfy { try $0.bytes(0, 0).count == bytes.count })
    }

    @Test func `a warning is noted by its english name and a notice is not`() throws {
        try connection.runScript("DO $$ BEGIN RAISE NOTICE 'n'; END $$", until: .soon)
        #expect(connection.warning == nil)
        try connection.runScript("DO $$ BEGIN RAISE WARNING 'w'; END $$", until: .soon)
        #expect(connection.warning?.message == "w")
        #expect(connection.warning?.state == .warning)
        connection.clearWarning()
        #expect(connection.warning == nil)
    }

    @Test func `at a deadline the socket is closed and nothing is cancelled`() async throws {
        // This session holds the lock until the end of the test.
        let lock = "SELECT pg_advisory_lock(7)"
        _ = try connection.run(Command(lock), until: .soon)
        let clock = ManualClock()
        let process = Mutex<Int64>(0)
        let string = try ConnectionString(server.string(database: database))
        async let outcome = onOwnThread { () -> (PostgresError?, isOpen: Bool) in
            var settings = SessionSettings(schema: "public")
            settings.lockSecondsMax = 0
            settings.statementSecondsMax = 0
            let other = try PostgresConnection.connect(string, settings, clock: clock)
            process.withLock { $0 = other.serverProcess }
            do throws(PostgresError) {
                _ = try other.run(Command(lock), until: clock.now.advanced(seconds: 3))
                return (nil, other.isOpen)
            } catch {
                return (error, other.isOpen)
            }
        }
        let waits = "SELECT wait_event FROM pg_stat_activity WHERE pid = "
        #expect(
            try await eventuallyYielding {
                try server.psql(waits + "\(process.withLock(\.self))") == "advisory"
            })
        clock.advance(seconds: 3)
        let (error, isOpen) = try await outcome
        guard case .deadline = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!isOpen)
        let number = process.withLock(\.self)
        let state = try server.psql("SELECT state FROM pg_stat_activity WHERE pid = \(number)")
        #expect(state == "active", "the statement goes on")
        try server.psql("SELECT pg_terminate_backend(\(number))")
    }

    @Test func `a session that an administrator ends is lost not failed`() throws {
        let process = try connection.run(Command("SELECT pg_backend_pid()"), until: .soon)
            .integer(0, 0)
        try server.psql("SELECT pg_terminate_backend(\(process), 60000)")
        do {
            _ = try connection.run(Command("SELECT 1"), until: .soon)
            Issue.record("the session has ended")
        } catch {
            guard case .lost(let text) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(text.contains("57P01"))
        }
        #expect(!connection.isOpen)
    }

    @Test func `notifications wake who listens`() throws {
        try connection.runScript("LISTEN news", until: .soon)
        #expect(
            try !connection.awaitNotification(until: MonotonicTime(nanoseconds: 0)))
        _ = try connection.run(Command("SELECT pg_notify('news', '')"), until: .soon)
        #expect(try connection.awaitNotification(until: .soon))
    }

    @Test func `values of another type are refused not misread`() throws {
        let result = try connection.run(Command("SELECT 'text'::text, NULL::bigint"), until: .soon)
        #expect(throws: PostgresError.self) { try result.uuid(0, 0) }
        #expect(throws: PostgresError.self) { try result.integer(0, 1) }
        #expect(throws: PostgresError.self) { try result.integer(1, 0) }
    }
}
