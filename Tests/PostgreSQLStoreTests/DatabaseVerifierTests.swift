import Payments
import PostgreSQL
import PostgreSQLFixture
import Records
import Store
import Testing

@testable import PostgreSQLStore

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DatabaseVerifierTests {
    private let fixture: StoreFixture

    init() async throws {
        fixture = try StoreFixture()
        for batch in 0..<3 {
            let store = fixture.store
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    group.addTask { _ = await store.record(.sample("\(batch)-\(number)")) }
                }
            }
        }
    }

    private func verify(anchor: [UInt8]? = nil) throws -> DatabaseVerification {
        let reader = try PortionReader(try fixture.database.connect(), schema: "ipnd")
        var verifier = DatabaseVerifier(reader, anchor: anchor)
        return try verifier.run()
    }

    @Test func `a whole record is intact and its head is found again`() async throws {
        let found = try verify()
        #expect(found.damage == nil)
        #expect(found.span == 1...30)
        #expect(found.records == 30)
        _ = await fixture.store.record(.sample("later"))
        #expect(try verify(anchor: found.chainHead).anchorSequence == 30)
        #expect(try verify(anchor: [UInt8](repeating: 7, count: 32)).anchorSequence == nil)
    }

    @Test func `nothing at all is intact`() throws {
        let empty = try Database()
        try empty.install()
        let reader = try PortionReader(try empty.connect(), schema: "ipnd")
        var verifier = DatabaseVerifier(reader)
        let found = try verifier.run()
        #expect(found.damage == nil)
        #expect(found.span == nil)
    }

    /// A manipulation of the tables, its reason code, and its sequence.
    @Test(arguments: [
        ("DELETE FROM event WHERE sequence = 17", "database_sequence", 17),
        ("DELETE FROM event WHERE sequence < 5", "database_sequence", 5),
        ("DELETE FROM event WHERE sequence = 30", "database_head", 30),
        ("UPDATE head SET sequence = 29", "database_head", 29),
        ("UPDATE head SET chain = decode(repeat('00', 32), 'hex')", "database_head", 30),
        ("DELETE FROM batch WHERE first = (SELECT max(first) FROM batch)", "database_batch", 0),
        ("UPDATE batch SET count = count + 1 WHERE first = 1", "database_", 0),
        ("UPDATE event SET outcome = 'ignored' WHERE sequence = 9", "database_record", 9),
        (
            "UPDATE event SET received = received + interval '1 s' WHERE sequence = 9",
            "database_record", 9
        ),
        (
            "UPDATE event SET record = convert_to(replace(convert_from(record, 'UTF8'), "
                + "'127.0.0.1', '127.0.0.2'), 'UTF8') WHERE sequence = 9", "database_chain", 0
        ),
    ])
    func `damage is found`(sql: String, reason: String, sequence: UInt64) throws {
        try fixture.database.psql(sql)
        let damage = try #require(try verify().damage)
        #expect(damage.reason.rawValue.hasPrefix(reason), "\(damage)")
        #expect(sequence == 0 || damage.sequence == sequence, "\(damage)")
    }

    @Test func `nobody waits for a verification`() async throws {
        let connection = try fixture.database.connect()
        var verifier = DatabaseVerifier(try PortionReader(connection, schema: "ipnd"))
        let before = try fixture.database.psql("SELECT sequence FROM head")
        _ = try verifier.run { _, _ in
            // Nothing is locked meanwhile: otherwise a batch would fail here.
            #expect(throws: Never.self) {
                try fixture.database.psql(
                    "SET lock_timeout = '1ms'; LOCK TABLE head, identity IN ROW EXCLUSIVE MODE")
            }
        }
        #expect(try fixture.database.psql("SELECT sequence FROM head") == before)
    }
}
