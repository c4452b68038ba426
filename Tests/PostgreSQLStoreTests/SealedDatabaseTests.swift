import Payments
import PostgreSQLFixture
import Records
import Sealing
import Store
import TestSupport
import Testing

@testable import PostgreSQLStore

/// A database whose records are sealed. What is common to every store, such as the same orders and
/// duplicates, is tested with the journal.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct SealedDatabaseTests {
    private static let first = MasterKey(name: "first", key: [UInt8](repeating: 1, count: 32))!
    private static let second = MasterKey(name: "second", key: [UInt8](repeating: 2, count: 32))!
    private static let body = Array(#"{"payer":"Lovelace"}"#.utf8)

    private func fixture(_ masters: [MasterKey] = [first]) throws -> StoreFixture {
        try StoreFixture { $0.masterKeys = masters }
    }

    /// Everything in the tables, as text.
    private func dump(_ fixture: StoreFixture) throws -> String {
        let tables = try fixture.database.psql(
            """
            SELECT string_agg(quote_ident(tablename), ' ') FROM pg_tables
            WHERE schemaname = 'ipnd'
            """)
        return try tables.split(separator: " ").map { table in
            let columns = table.hasPrefix("event") ? ", convert_from(record, 'UTF8')" : ""
            return try fixture.database.psql("SELECT t.*\(columns) FROM ipnd.\(table) t")
        }.joined(separator: "\n")
    }

    private func opened(_ fixture: StoreFixture) async throws -> String {
        let store = fixture.store
        let page = try await store.records.page(
            after: 0, through: store.commitFeed.durableSequence, limit: 100, bytesMax: 1 << 20)
        var opener = try #require(store.keys.opener())
        return try page.records.map { try String(decoding: opener.open($0.bytes), as: UTF8.self) }
            .joined(separator: "\n")
    }

    private func fill(_ store: PostgreSQLStore) async {
        #expect(await store.register(.sample("A")).outcome == .recorded(1))
        #expect(await store.record(.sample("A", body: Self.body)).outcome == .recorded(2))
    }

    @Test func `nothing personal is in any table, and all of it is read with the key`()
        async throws
    {
        let (sealed, plain) = (try fixture(), try fixture([]))
        await fill(sealed.store)
        await fill(plain.store)
        for secret in ["Lovelace", "cart", "127.0.0.1"] {
            #expect(try dump(plain).contains(secret))
            #expect(try !dump(sealed).contains(secret), "\(secret)")
        }
        let text = try await opened(sealed)
        #expect(text.contains("Lovelace") && text.contains(#""metadata":{"cart":7}"#))
        let page = try await sealed.store.lists.page(OrderQuery(), limit: 10)
        #expect(page.orders.first?.metadata?.contains("sealed") == true)
        let lists = OpenedLists(sealed.store.lists, sealed.store.keys)
        #expect(
            try await lists.page(OrderQuery(), limit: 10).orders.first?.metadata == #"{"cart":7}"#)
        #expect(await sealed.store.register(.sample("A")).outcome == .duplicate(of: 1))
        #expect(await sealed.store.register(.sample("A", minor: 1)).outcome == .conflict(1))
    }

    /// A sealed record has the request of its own; the others of the request refer to it.
    @Test func `the events of one request are sealed once`() async throws {
        let fixture = try fixture()
        var events = ["A", "B"].map { Submission.sample($0, body: Self.body) }
        for index in events.indices {
            events[index].part = RecordPart(number: index + 1, count: 2)
        }
        #expect(await fixture.store.record(events).map(\.outcome) == [.recorded(1), .recorded(2)])
        #expect(
            try fixture.database.psql(
                """
                SELECT string_agg((position('"sealed"' IN convert_from(record, 'UTF8')) > 0)::text,
                    ' ' ORDER BY sequence) FROM event
                """) == "true false")
    }

    @Test func `instances use one ring, and one without the key records nothing`() async throws {
        let fixture = try fixture()
        await fill(fixture.store)
        let other = try StoreFixture(sharing: fixture) {
            $0.masterKeys = [Self.second, Self.first]
        }
        #expect(await other.store.record(.sample("B", body: Self.body)).outcome == .recorded(3))
        #expect(other.store.keys.current == fixture.store.keys.current)
        #expect(await fixture.store.record(.sample("C", body: Self.body)).outcome == .recorded(4))
        #expect(try await opened(fixture).components(separatedBy: "Lovelace").count == 4)
        let blind = try StoreFixture(sharing: fixture) {
            $0.masterKeys = []
            $0.requestSecondsMax = 1
        }
        #expect(
            await blind.store.record(.sample("D")).outcome == .refused(.databaseUnavailable))
        #expect(try fixture.sequences() == "1 2 3 4")
        #expect(blind.reasons.contains("master_key_missing"))
    }

    /// An instance that has the tables open when another one begins to seal.
    @Test func `no record is stored as it is after the first sealed one`() async throws {
        let plain = try StoreFixture { $0.requestSecondsMax = 2 }
        #expect(await plain.store.record(.sample("A")).outcome == .recorded(1))
        let sealing = try StoreFixture(sharing: plain) { $0.masterKeys = [Self.first] }
        #expect(await sealing.store.record(.sample("B")).outcome == .recorded(2))
        #expect(
            await plain.store.record(.sample("C")).outcome == .refused(.databaseUnavailable))
        #expect(plain.reasons.contains("master_key_missing"))
        #expect(try plain.sequences() == "1 2")
    }

    private func erase(
        _ records: [UInt64], of reference: String, _ store: PostgreSQLStore
    ) async throws -> ActReceipt {
        let view = try #require(try await store.order(endpoint: "shop", reference: reference))
        return await store.act(
            Act(
                .erase, by: "admin", remote: "unix", reason: "asked",
                parameters: RecordedAction.parameters(erasing: ErasedRecords(records)),
                endpoint: "shop", provider: "hmac", reference: reference,
                demand: .erase(last: view.last), received: .init(microseconds: 9)))
    }

    @Test func `the keys of erased records are gone from every instance`() async throws {
        let fixture = try fixture()
        await fill(fixture.store)
        let other = try StoreFixture(sharing: fixture) { $0.masterKeys = [Self.first] }
        #expect(await other.store.record(.sample("B", body: Self.body)).outcome == .recorded(3))
        let before = try await fixture.store.order(endpoint: "shop", reference: "A")
        #expect(try await erase([1, 2], of: "A", fixture.store) == .recorded(4))
        let text = try await opened(fixture)
        #expect(text.components(separatedBy: "Lovelace").count == 2)
        #expect(text.contains(#""metadata":{"erased":true}"#))
        #expect(text.contains(#""erased":"request""#))
        var after = try await fixture.store.order(endpoint: "shop", reference: "A")
        #expect(after?.sequences.last == 4)
        after?.sequences.removeLast()
        #expect(after == before)
        // Its next look, or its next batch, shows the other instance that the ring has changed.
        #expect(
            await eventuallyYielding { other.store.keys.current == fixture.store.keys.current })
        #expect(await other.store.record(.sample("C", body: Self.body)).outcome == .recorded(5))
        #expect(
            await other.store.record(.sample("A", body: Self.body)).outcome == .duplicate(of: 2))
        let ring = try #require(
            try DatabaseKeys.open(fixture.database.connect(), [Self.first], schema: "ipnd"))
        #expect(ring.version == 2 && !ring.ring.hasKey(in: [1...2]))
        #expect(ring.ring == other.store.keys.current)
    }

    @Test func `without keys nothing is erased`() async throws {
        let fixture = try fixture([])
        await fill(fixture.store)
        #expect(try await erase([1], of: "A", fixture.store) == .denied(.notSealed))
        #expect(try fixture.sequences() == "1 2")
    }

    @Test func `a master key is replaced, and a wrong one is named`() async throws {
        let fixture = try fixture()
        await fill(fixture.store)
        let next = try StoreFixture(sharing: fixture) { $0.masterKeys = [Self.second, Self.first] }
        #expect(await next.store.record(.sample("B")).outcome == .recorded(3))
        let connection = try fixture.database.connect()
        for (masters, reason) in [
            ([Self.second], nil), ([Self.first], "master_key_missing"),
            (
                [MasterKey(name: "second", key: [UInt8](repeating: 9, count: 32))!],
                "master_key_wrong"
            ),
            ([], "master_key_missing"),
        ] {
            do throws(DatabaseFailure) {
                let keys = try DatabaseKeys.open(connection, masters, schema: "ipnd")
                #expect(reason == nil && keys?.ring == fixture.store.keys.current)
            } catch {
                #expect(error.reason == reason && error.isMistake, "\(error)")
            }
        }
    }
}

extension StoreFixture {
    /// Why the database was not used.
    fileprivate var reasons: [String] {
        changes.compactMap { if case .away(let reason, _) = $0 { reason } else { nil } }
    }
}
