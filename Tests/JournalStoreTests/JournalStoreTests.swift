import Foundation
import Journal
import Payments
import Store
import Testing

@testable import JournalStore

@Suite struct JournalStoreTests {
    @Test func `a notification is recorded and its order is found`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        let receipt = await store.record(Samples.submission(Samples.payment("E-1")))
        #expect(receipt == Receipt(.recorded(1), reference: "REQ-1", status: .paid))
        let view = try #require(await store.order(endpoint: "antom", reference: "REQ-1"))
        #expect(view.order.status == .paid)
        #expect(view.order.amount == Samples.money(4200))
        #expect(view.sequences == [1])
        #expect(await store.order(endpoint: "antom", reference: "REQ-2") == nil)
        #expect(await store.order(endpoint: "citcon", reference: "REQ-1") == nil)
        await store.close()
    }

    /// An index that is refreshed asks some ten thousand times in a shop with a million orders.
    @Test func `looking orders up keeps no descriptor`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        let names: [OrderKey] = [
            .reference(endpoint: "antom", "REQ-1"), .reference(endpoint: "antom", "REQ-2"),
        ]
        let before = try descriptors()
        for _ in 0..<2000 {
            let found = try #require(store.orders(names))
            #expect(found.map { $0?.order.status } == [.paid, nil])
        }
        // Tests that run at the same time have some, too.
        #expect(try descriptors() < before + 1000)
        await store.close()
        #expect(store.orders(names) == nil)
    }

    private func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    @Test func `the same event at another endpoint is another event`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        let payment = Samples.payment("E-1")
        _ = await store.record(Samples.submission(payment))
        let other = await store.record(Samples.submission(payment, endpoint: "antom-2"))
        #expect(other.outcome == .recorded(2))
        await store.close()
    }

    @Test func `a duplicate is answered and not written`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        let syncs = storage.syncs
        let again = await store.record(Samples.submission(Samples.payment("E-1")))
        #expect(again.outcome == .duplicate(of: 1))
        #expect(storage.syncs == syncs)
        #expect(store.statistics.duplicates == 1)
        #expect(store.statistics.records == 1)
        await store.close()
    }

    @Test func `fifty tasks with one event make one record`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        let submission = Samples.submission(Samples.payment("E-1"))
        let receipts = await withTaskGroup(of: Receipt.self) { group in
            for _ in 0..<50 { group.addTask { await store.record(submission) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(receipts.count { $0.outcome == .recorded(1) } == 1)
        #expect(receipts.count { $0.outcome == .duplicate(of: 1) } == 49)
        #expect(Set(receipts.map(\.sequence)) == [1])
        #expect(store.statistics.records == 1)
        await store.close()
    }

    @Test func `same identity with other content is a conflict and recorded once`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        let other = Samples.submission(Samples.payment("E-1", minor: 9900))
        #expect(await store.record(other).outcome == .conflict(2))
        #expect(await store.record(other).outcome == .duplicate(of: 2))
        let first = Samples.submission(Samples.payment("E-1"))
        #expect(await store.record(first).outcome == .duplicate(of: 1))
        let view = try #require(await store.order(endpoint: "antom", reference: "REQ-1"))
        #expect(view.order.flags.contains(.conflict))
        #expect(view.order.amount == Samples.money(4200))
        #expect(view.sequences == [1, 2])
        #expect(store.statistics.conflicts == 1)
        await store.close()
    }

    @Test func `a refund that comes first is joined when the payment names its reference`()
        async throws
    {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        let refund = await store.record(Samples.submission(Samples.refund("E-1", minor: 1000)))
        #expect(refund == Receipt(.recorded(1), reference: nil, status: .review))
        #expect(await store.order(endpoint: "antom", transaction: "PAY-1")?.sequences == [1])
        #expect(await store.unjoinedOrders().map(\.sequences) == [[1]])
        let payment = await store.record(Samples.submission(Samples.payment("E-2")))
        #expect(await store.unjoinedOrders().isEmpty)
        #expect(await store.order(endpoint: "antom", transaction: "PAY-1")?.sequences == [1, 2])
        #expect(payment.status == .partiallyRefunded)
        let late = await store.record(
            Samples.submission(Samples.refund("E-3", refund: "REF-2", minor: 3200)))
        #expect(late == Receipt(.recorded(3), reference: "REQ-1", status: .refunded))
        let view = try #require(await store.order(endpoint: "antom", reference: "REQ-1"))
        #expect(view.sequences == [1, 2, 3])
        #expect(store.statistics.ordersRemembered == 1)
        await store.close()
    }

    @Test func `what is about no order is ignored and recorded once`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        let test = Samples.submission(
            Notification(id: "T-1", kind: "activation", status: "test", flags: [.unknownKind]))
        #expect(await store.record(test) == Receipt(.ignored(1)))
        #expect(await store.record(test).outcome == .duplicate(of: 1))
        let nameless = Samples.submission(
            Notification(
                id: "E-1", kind: "payment", status: "paid",
                effect: .attempt(.paid, Samples.payment("E-2").effect.amount)))
        #expect(await store.record(nameless) == Receipt(.ignored(2)))
        #expect(store.statistics.ignored == 2)
        #expect(store.statistics.ordersRemembered == 0)
        await store.close()
    }

    @Test func `a restart knows the same orders and events`() async throws {
        let storage = MemoryStorage()
        let first = try Samples.store(on: storage)
        var submissions = [
            Samples.submission(Samples.refund("E-0", transaction: "PAY-7")),
            Samples.submission(Samples.payment("E-9", reference: "REQ-7", transaction: "PAY-7")),
            Samples.submission(Samples.payment("E-9", reference: "REQ-7", transaction: "PAY-8")),
            Samples.submission(
                Samples.payment("E-9", reference: "REQ-7", transaction: "PAY-7", minor: 1)),
            Samples.submission(Notification(id: "T-1", kind: "activation", status: "test")),
        ]
        for index in 0..<300 {
            submissions.append(
                Samples.submission(
                    Samples.payment(
                        "P-\(index)", reference: "R-\(index % 100)", transaction: "T-\(index)",
                        index % 2 == 0 ? .paid : .failed, minor: Int64(index))))
        }
        for submission in submissions { _ = await first.record(submission) }
        let references = ["REQ-7"] + (0..<100).map { "R-\($0)" }
        var before: [OrderView?] = []
        for reference in references {
            before.append(await first.order(endpoint: "antom", reference: reference))
        }
        await first.close()

        let second = try Samples.store(on: storage)
        for (index, reference) in references.enumerated() {
            let view = await second.order(endpoint: "antom", reference: reference)
            #expect(view != nil)
            #expect(view == before[index])
        }
        for submission in submissions {
            let receipt = await second.record(submission)
            guard case .duplicate = receipt.outcome else {
                Issue.record("\(submission.notification.id): \(receipt)")
                continue
            }
        }
        #expect(second.statistics.records == 0)
        let next = await second.record(Samples.submission(Samples.payment("NEW")))
        #expect(next.outcome == .recorded(305))
        await second.close()
    }

    @Test func `a closed store refuses and answers nothing`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        await store.close()
        let receipt = await store.record(Samples.submission(Samples.payment("E-1")))
        #expect(receipt.outcome == .refused(.shuttingDown))
        #expect(await store.order(endpoint: "antom", reference: "REQ-1") == nil)
        await store.close()
    }

    @Test func `a request that no record can hold is refused`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        let controls = Samples.submission(
            Samples.payment("E-1"), body: [UInt8](repeating: 7, count: 10_000))
        // Escaped it would be six times as long: Base64 makes it fit.
        #expect(await store.record(controls).outcome == .recorded(1))
        let long = Samples.submission(
            Samples.payment("E-2"), body: [UInt8](repeating: 7, count: 20_000))
        #expect(await store.record(long).outcome == .refused(.recordTooLong))
        #expect(await store.order(endpoint: "antom", reference: "REQ-1")?.sequences == [1])
        await store.close()
    }
}
