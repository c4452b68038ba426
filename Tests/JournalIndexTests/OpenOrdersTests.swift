import GRDB
import Payments
import Store
import TestSupport
import Testing

@testable import JournalIndex

/// The orders about which a provider may be asked, from the index.
@Suite struct OpenOrdersTests {
    /// An order for each row: endpoint, reference, status, when it changed, when it expires.
    ///
    /// - Parameter flags: As the column has them, by reference.
    private static func index(
        _ rows: [(String, String?, String, Int64, Int64?)], flags: [String: String] = [:]
    ) throws -> OrderIndex {
        let index = try OrderIndex(clock: ManualClock())
        try index.database.write { database in
            for (number, row) in rows.enumerated() {
                try database.execute(
                    sql: """
                        INSERT INTO orders (first, endpoint, reference, transactionID, status,
                            flags, created, updated, last, expires)
                        VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?)
                        """,
                    arguments: [
                        number + 1, row.0, row.1, "T-\(number)", row.2,
                        flags[row.1 ?? ""] ?? "", row.3,
                        number + 1, row.4,
                    ])
            }
        }
        return index
    }

    private static func span(_ after: Int64, _ through: Int64) -> OpenOrderSpan {
        OpenOrderSpan(
            after: Timestamp(microseconds: after), through: Timestamp(microseconds: through))
    }

    private static func query(
        _ spans: [OpenOrderSpan], since: Int64 = 0, limit: Int = 100
    ) -> OpenOrderQuery {
        OpenOrderQuery(
            endpoint: "e", spans: spans, activeSince: Timestamp(microseconds: since), limit: limit)
    }

    @Test func `only open orders of the endpoint and the spans are found`() async throws {
        let index = try Self.index([
            ("e", "pending", "pending", 100, nil), ("e", "authorized", "authorized", 150, 500),
            ("e", "review", "review", 200, nil), ("e", "paid", "paid", 120, nil),
            ("e", "failed", "failed", 120, nil), ("e", "gone", "failed", 120, 120),
            ("e", "retried", "failed", 130, 300), ("other", "foreign", "pending", 120, nil),
            ("e", nil, "pending", 120, nil), ("e", "later", "pending", 201, nil),
            ("e", "far", "pending", 900, nil),
        ])
        let page = try await index.open(Self.query([Self.span(100, 200), Self.span(800, 900)]))
        #expect(page.orders.map(\.reference) == ["retried", "authorized", "review", "far"])
        #expect(page.rest.isEmpty)
        #expect(page.orders[1].expires == Timestamp(microseconds: 500) && page.orders[1].last == 2)
        #expect(try await index.oldestOpen("e") == Timestamp(microseconds: 100))
        #expect(try await index.oldestOpen("nobody") == nil)
        // Those whose time is long over are passed over.
        let active = try await index.open(Self.query([Self.span(0, 1000)], since: 400))
        #expect(active.orders.map(\.reference) == ["authorized", "far"])
    }

    /// Whatever the order's status is.
    @Test func `what an answer may add keeps an order open`() async throws {
        let index = try Self.index(
            [
                ("e", "disputed", "charged_back", 100, nil), ("e", "twice", "paid", 120, nil),
                ("e", "sum", "refunded", 130, nil), ("e", "paid", "paid", 120, nil),
            ],
            flags: [
                "disputed": ",unconfirmed,", "twice": ",test_mode,unconfirmed,",
                "sum": ",amount_unknown,test_mode,", "paid": ",test_mode,",
            ])
        let page = try await index.open(Self.query([Self.span(0, 200)]))
        #expect(page.orders.map(\.reference) == ["disputed", "twice", "sum"])
    }

    /// Whatever the page's size and however many changed at once: each once, none missing.
    @Test(arguments: [1, 2, 3, 7, 100])
    func `pages miss nothing`(_ limit: Int) async throws {
        let rows = (0..<20).map { number in
            ("e", String?("R-\(number)"), "pending", Int64(100 + number / 6), Int64?.none)
        }
        let index = try Self.index(rows)
        var spans = [Self.span(101, 110), Self.span(0, 101)]
        var found: [String] = []
        while !spans.isEmpty {
            let page = try await index.open(Self.query(spans, limit: limit))
            #expect(page.orders.count <= limit)
            found += page.orders.map(\.reference)
            #expect(page.rest != spans, "no progress")
            spans = page.rest
        }
        #expect(found.count == 20 && Set(found).count == 20)
    }

    /// A million settled orders cost nothing.
    @Test func `settled orders are not looked at`() throws {
        let index = try Self.index([])
        let plan = try index.database.read { database in
            try Row.fetchAll(
                database, sql: "EXPLAIN QUERY PLAN \(OrderIndex.openQuery)",
                arguments: ["e", 1, 2, 3, 4, 5]
            ).map { $0["detail"] as String }
        }
        #expect(
            plan == [
                "SEARCH orders USING INDEX ordersOpen (endpoint=? AND updated>? AND updated<?)"
            ])
    }
}
