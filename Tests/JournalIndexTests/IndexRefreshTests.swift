import Foundation
import GRDB
import JournalStore
import Payments
import Records
import Store
import Synchronization
import TestSupport
import Testing

@testable import JournalIndex

/// Rows of earlier orders are updated from the store's orders.
@Suite final class IndexRefreshTests {
    private let directory = NSTemporaryDirectory() + "ipnd-refresh-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// An index of `count` paid orders, `R-0` and so on, and of one that only its id names.
    private func index(_ count: Int) async throws -> OrderIndex {
        var options = JournalStoreOptions()
        options.journal.segmentBytes = 1 << 20
        options.journal.frameBytesMax = 256 << 10
        options.journal.recordBytesMax = 128 << 10
        let store = try JournalStore(directory: directory, options: options)
        store.recent.follow()
        let references = (0..<count).map { "R-\($0)" } + [nil]
        for (number, reference) in references.enumerated() {
            let notification = Notification(
                id: "E-\(number)", kind: "payment", status: "paid", reference: reference,
                transaction: "T-\(number)", effect: .attempt(.paid, Self.money))
            _ = await store.record(
                Submission(
                    endpoint: "antom", provider: "antom", key: "1", notification: notification,
                    request: RecordedRequest(
                        method: "POST", target: Array("/ipn".utf8)[...], headers: [], body: []),
                    peer: "", received: Timestamp(microseconds: 1)))
        }
        await store.close()
        var rows = OrderRows()
        store.recent.take(&rows)
        let index = try OrderIndex(clock: ManualClock())
        #expect(try index.fill(from: rows) == count + 1)
        return index
    }

    private static let money = Currency("MYR").map { Money(minor: 100, currency: $0) }

    /// The order under `name` after it failed.
    private static func failed(_ reference: String?, id: String = "T") -> OrderView {
        var notification = Notification(
            id: "E", kind: "payment", status: "failed", reference: reference, transaction: id,
            effect: .attempt(.failed, money), flags: [.testMode])
        notification.reason = Reason(code: "C", message: "m")
        return OrderView(
            endpoint: "antom", order: Order().applying(notification), sequences: [1])
    }

    private func rows(_ index: OrderIndex, _ columns: String) throws -> [String: String] {
        try index.database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT coalesce(reference, transactionID), \(columns) FROM orders"
            ).reduce(into: [:]) { $0[$1[0]] = $1[1] }
        }
    }

    @Test func `every row becomes what its order is and then it is not due any more`() async throws
    {
        let index = try await index(250)
        let calls = Mutex(0)
        let lookUp: @Sendable ([OrderKey]) -> [OrderView?] = { keys in
            calls.withLock { $0 += 1 }
            return keys.map { key in
                switch key {
                case .reference(_, let reference): Self.failed(reference)
                case .id(_, let id), .unjoined(_, let id): Self.failed(nil, id: id)
                }
            }
        }
        // Nobody answers: nothing changes, and it is due still.
        try index.refresh { _ in nil }
        let before = try rows(index, "status")
        #expect(before.count == 251 && Set(before.values) == ["paid"])
        try index.refresh(lookUp: lookUp)
        #expect(
            Set(try rows(index, "status || captured || reasonCode || flags").values) == [
                "failed0C,test_mode,", "failed0C,test_mode,unjoined,",
            ])
        let made = calls.withLock(\.self)
        #expect(made == 2)
        try index.refresh(lookUp: lookUp)
        #expect(calls.withLock(\.self) == made)
    }

    @Test func `what is gone and what is part of another leaves the index`() async throws {
        let index = try await index(3)
        try await index.database.write { database in
            try database.execute(
                sql: "UPDATE orders SET metadata = '{}', expectedMinor = 7 WHERE reference = 'R-1'")
        }
        // R-1 is a part of is gone, and the unjoined one has another least id.
        try index.refresh { keys in
            keys.map { key in
                switch key {
                case .reference(_, "R-0"), .reference(_, "R-1"):
                    var view = Self.failed("R-0")
                    view.order = view.order.applying(
                        Notification(
                            id: "A", kind: "refund", status: "s", alias: "ALIAS",
                            transaction: "T", effect: .refund(id: "F", .failed, nil)))
                    return view
                case .id, .unjoined: return Self.failed(nil, id: "A-LESSER-ID")
                default: return nil
                }
            }
        }
        #expect(Set(try rows(index, "status").keys) == ["R-0"])
        #expect(try rows(index, "metadata || expectedMinor") == ["R-0": "{}7"])
        var query = OrderQuery()
        query.names = [.reference(endpoint: "antom", "R-0")]
        let found = try await index.page(query, limit: 10).orders.map(\.reference)
        #expect(found == ["R-0"])
    }
}
