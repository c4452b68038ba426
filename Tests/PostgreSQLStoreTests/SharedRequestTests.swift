import Payments
import PostgreSQL
import PostgreSQLFixture
import Records
import Store
import Testing

@testable import PostgreSQLStore

/// Several events of one request in a database, in partitions of 1000 events.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct SharedRequestTests {
    private let fixture: StoreFixture
    private var database: Database { fixture.database }

    init() throws {
        fixture = try StoreFixture(installs: false)
        let installer = SchemaInstaller(
            try fixture.database.connect(), schema: "ipnd", partitionEvents: 1000)
        _ = try installer.run()
    }

    private static func request(_ name: String, _ count: Int) -> [Submission] {
        (1...count).map { number in
            var event = Submission.sample("\(name)-\(number)", body: Array("several".utf8))
            event.part = RecordPart(number: number, count: count)
            return event
        }
    }

    private func records() throws -> [RecordedEvent] {
        let reader = try PortionReader(try database.connect(), schema: "ipnd")
        var records: [RecordedEvent] = []
        var verifier = DatabaseVerifier(reader)
        let found = try verifier.run(progress: { _, _ in }) { _, record in
            records.append(try RecordDecoder.event(record))
        }
        #expect(found.damage == nil)
        return records
    }

    @Test func `the request is stored once, in one transaction`() async throws {
        let receipts = await fixture.store.record(Self.request("P", 300))
        #expect(receipts.map(\.outcome) == (1...300).map { .recorded($0) })
        let again = await fixture.store.record(Self.request("P", 301))
        #expect(again.map(\.outcome) == (1...300).map { .duplicate(of: $0) } + [.recorded(301)])
        #expect(
            try database.psql("SELECT string_agg(count::text, ',' ORDER BY first) FROM batch")
                == "300,1", "batches")
        let parts = try records().map(\.part)
        #expect(parts[0] == RecordPart(number: 1, count: 300))
        #expect(parts[299] == RecordPart(holder: 1, number: 300, count: 300))
        #expect(parts[300] == RecordPart(number: 301, count: 301))
    }

    /// Retention drops the first partition, and what is left has its request.
    @Test func `each partition has the request of its events`() async throws {
        for name in ["A", "B", "C", "D"] {
            _ = await fixture.store.record(Self.request(name, 300))
        }
        _ = await fixture.store.record(.sample("LAST"))
        #expect(try records()[999].part == RecordPart(number: 100, count: 300))
        #expect(try database.psql("SELECT drop_event_partition(30)") == "999")
        var finder = RequestFinder()
        let reader = try PortionReader(try database.connect(), schema: "ipnd")
        var verifier = DatabaseVerifier(reader)
        var bodies: Set<[UInt8]> = []
        let found = try verifier.run(progress: { _, _ in }) { _, record in
            let event = try RecordDecoder.event(record)
            bodies.insert(try #require(try finder.request(of: event, record)).body)
        }
        #expect(found.damage == nil && found.span == 1000...1201)
        #expect(bodies == [Array("several".utf8), Array("{}".utf8)])
    }
}
