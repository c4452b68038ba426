import Payments
import PostgreSQLFixture
import Store
import Testing

@testable import PostgreSQLStore

/// The orders about which a provider may be asked, from the tables.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DatabaseOpenOrdersTests {
    private static func registration(_ reference: String, at time: Int64, expires: Int64? = nil)
        -> Registration
    {
        var registration = Registration.sample(reference)
        registration.received = Timestamp(microseconds: time)
        registration.expectation.expires = expires.map(Timestamp.init(microseconds:))
        return registration
    }

    private static func query(
        _ spans: [(Int64, Int64)], since: Int64 = 0, limit: Int = 100
    ) -> OpenOrderQuery {
        OpenOrderQuery(
            endpoint: "shop",
            spans: spans.map {
                OpenOrderSpan(
                    after: Timestamp(microseconds: $0.0), through: Timestamp(microseconds: $0.1))
            }, activeSince: Timestamp(microseconds: since), limit: limit)
    }

    @Test func `only open orders within the spans are found page by page`() async throws {
        let fixture = try StoreFixture()
        let orders = fixture.store.openOrders
        #expect(try await orders.oldestOpen("shop") == nil)
        for number in 1...9 {
            _ = await fixture.store.register(
                Self.registration(
                    "R-\(number)", at: Int64(number / 3 * 100),
                    expires: number == 9 ? 5000 : nil))
        }
        _ = await fixture.store.record(.sample("PAID"))
        _ = await fixture.store.record(.sample("FAILED", status: "failed"))
        #expect(try await orders.oldestOpen("shop") == Timestamp(microseconds: 0))
        #expect(try await orders.sequence() == 11)
        let page = try await orders.open(Self.query([(100, 200), (-1, 0)]))
        #expect(Set(page.orders.prefix(3).map(\.reference)) == ["R-6", "R-7", "R-8"])
        #expect(Set(page.orders.suffix(2).map(\.reference)) == ["R-1", "R-2"])
        #expect(page.orders.count == 5 && page.rest.isEmpty)
        let active = try await orders.open(Self.query([(-1, 2_000_000_000_000_000)], since: 4000))
        #expect(active.orders.map(\.reference) == ["R-9"])
        #expect(active.orders.first?.expires == Timestamp(microseconds: 5000))
        for limit in [1, 2, 4] {
            var query = Self.query([(-1, 100), (100, 300)], limit: limit)
            var found: [String] = []
            while !query.spans.isEmpty {
                let page = try await orders.open(query)
                found += page.orders.map(\.reference)
                query.spans = page.rest
            }
            #expect(found.count == 9 && Set(found).count == 9, "\(limit): \(found)")
        }
        #expect(try await orders.open(Self.query([])).orders.isEmpty)
    }

    /// Whatever the order's status is.
    @Test func `what an answer may add keeps an order open`() async throws {
        let fixture = try StoreFixture()
        for reference in ["R-1", "R-2"] { _ = await fixture.store.record(.sample(reference)) }
        let orders = fixture.store.openOrders
        let query = Self.query([(-1, 2_000_000_000_000_000)])
        #expect(try await orders.open(query).orders.isEmpty)
        for flag in OpenOrder.flags.map(\.rawValue) {
            try fixture.database.psql(
                "UPDATE order_state SET flags = ',test_mode,\(flag),' WHERE reference = 'R-2'")
            #expect(try await orders.open(query).orders.map(\.reference) == ["R-2"], "\(flag)")
        }
    }

    /// Settled orders are not read, however many there are.
    @Test func `the index of open orders is used`() async throws {
        let fixture = try StoreFixture()
        let plan = try fixture.database.psql(
            """
            SET enable_seqscan = off;
            EXPLAIN SELECT min(updated) FROM order_state WHERE endpoint = 1
                AND (status IN ('pending', 'authorized', 'review')
                    OR (status = 'failed' AND expires > updated)
                    OR position(',unconfirmed,' IN flags) > 0
                    OR position(',amount_unknown,' IN flags) > 0)
                AND reference IS NOT NULL
            """)
        #expect(plan.contains("order_state_open"))
    }
}
