import Ledger
import Payments
import Store
import Testing

@testable import JournalStore

/// An order that gets more events than it holds.
@Suite struct FullOrderTests {
    private static let factsMax = 16
    private static let many = 60

    private static var options: JournalStoreOptions {
        var options = Samples.options
        options.orderFactsMax = factsMax
        return options
    }

    private static func payment(_ number: Int, _ reference: String? = "QR-1") -> Notification {
        Samples.payment("E-\(number)", reference: reference, transaction: "PAY-\(number)")
    }

    private static func refund(_ number: Int, of transaction: String) -> Notification {
        Samples.refund("F-\(number)", refund: "REF-\(number)", transaction: transaction)
    }

    /// The order afterwards, in this store and in one that has replayed its journal.
    private static func views(
        _ notifications: [Notification], _ references: [String],
        _ options: JournalStoreOptions = options
    ) async throws -> (live: [OrderView?], replayed: [OrderView?], receipts: [Receipt]) {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage, options)
        var receipts: [Receipt] = []
        for notification in notifications {
            receipts.append(await store.record(Samples.submission(notification)))
        }
        let live = await views(of: references, in: store)
        await store.close()
        let restarted = try Samples.store(on: storage, options)
        let replayed = await views(of: references, in: restarted)
        await restarted.close()
        return (live, replayed, receipts)
    }

    private static func views(
        of references: [String], in store: JournalStore
    ) async -> [OrderView?] {
        var views: [OrderView?] = []
        for reference in references {
            views.append(await store.order(endpoint: "antom", reference: reference))
        }
        return views
    }

    @Test func `it is in review and counts what comes`() async throws {
        let other = Samples.payment("OTHER", reference: "REQ-2", transaction: "OTHER")
        let seen = try await Self.views(
            (1...Self.many).map { Self.payment($0) } + [other], ["QR-1", "REQ-2"])
        let full = try #require(seen.live[0])
        #expect(full.order.status == .review && full.order.flags == [.tooManyEvents])
        #expect(full.order.factCount <= Self.factsMax)
        #expect(full.sequences.count + Int(full.laterCount) == Self.many)
        #expect(full.laterLast == UInt64(Self.many))
        #expect(seen.receipts.enumerated().allSatisfy { $1.outcome == .recorded(UInt64($0) + 1) })
        #expect(seen.receipts.dropLast().suffix(20).allSatisfy { $0.status == .review })
        #expect(seen.live[1]?.order.status == .paid)
        #expect(seen.live[1]?.laterCount == 0)
        #expect(seen.replayed == seen.live)
    }

    @Test func `refunds of one payment are the same`() async throws {
        let refunds = (1...Self.many).map { Self.refund($0, of: "PAY-1") }
        let seen = try await Self.views([Self.payment(1)] + refunds, ["QR-1"])
        let full = try #require(seen.live[0])
        #expect(full.order.isFull && full.order.refunds.count >= 10)
        #expect(full.sequences.count + Int(full.laterCount) == Self.many + 1)
        #expect(seen.replayed == seen.live)
    }

    @Test func `an unjoined one is full too`() async throws {
        let storage = MemoryStorage()
        for _ in ["first", "replayed: the refunds are repetitions then"] {
            let store = try Samples.store(on: storage, Self.options)
            for number in 1...Self.many {
                _ = await store.record(Samples.submission(Self.refund(number, of: "PAY-9")))
            }
            let views = await store.unjoinedOrders()
            try #require(views.count == 1)
            #expect(FlagSet(views[0].order.flags) == FlagSet([.unjoined, .tooManyEvents]))
            #expect(views[0].sequences.count + Int(views[0].laterCount) == Self.many)
            await store.close()
        }
    }

    @Test func `a new flag is added and nothing else`() async throws {
        var doubtful = Self.payment(98)
        doubtful.flags = [.testMode]
        var changed = Self.payment(1)
        changed.effect = .attempt(.paid, Samples.money(1))
        let seen = try await Self.views(
            (1...Self.many).map { Self.payment($0) } + [doubtful, Self.payment(99), changed],
            ["QR-1"])
        let full = try #require(seen.live[0])
        #expect(FlagSet(full.order.flags) == FlagSet([.conflict, .testMode, .tooManyEvents]))
        #expect(full.sequences.count + Int(full.laterCount) == Self.many + 3)
        #expect(seen.replayed == seen.live)
    }

    /// The facts of a full order join no other order to it: both are in `review`.
    @Test func `no other order is joined with it`() async throws {
        let beginning = (1...Self.many).map { Self.payment($0) }
        let rival = Samples.payment("X", reference: "REQ-2", transaction: "PAY-1")
        let early = Samples.payment("Y", reference: "REQ-2", transaction: "PAY-Y")
        let waiting = Self.refund(1, of: "PAY-Z")
        let joins = Samples.payment("Z", reference: "QR-1", transaction: "PAY-Z")
        let seen = try await Self.views(
            beginning + [early, rival, waiting, joins], ["QR-1", "REQ-2"])
        #expect(seen.live[0]?.order.flags == [.tooManyEvents])
        #expect(seen.live[1]?.order.flags == [.paidTwice, .sharedID])
        #expect(seen.live[1]?.rivals == ["QR-1"])
        #expect(seen.live[1]?.order.attempts.map(\.transaction) == ["PAY-1", "PAY-Y"])
        #expect(seen.replayed == seen.live)
    }

    private static let story =
        (1...many).map { payment($0) } + (1...many).map { refund($0, of: "PAY-\($0 % 20 + 1)") }

    /// In one batch or in batches of a few: always the same.
    @Test func `batches make no difference`() throws {
        var views: [OrderView] = []
        for size in [1, 7, 500] {
            var tables = StoreTables(function: .keyedAtRandom())
            var batch = PendingBatch(function: tables.function, factsMax: Self.factsMax)
            let endpoint = tables.endpoints.number(of: "antom")
            for (index, notification) in Self.story.enumerated() {
                let hashes = batch.keys.hashes(of: notification, endpoint)
                let decision = batch.decide(
                    notification, hashes, sequence: UInt64(index) + 1, in: tables)
                if case .record(let change) = consume decision {
                    batch.accept(change, received: Timestamp(microseconds: Int64(index)))
                }
                if (index + 1) % size == 0 { batch.apply(to: &tables) }
            }
            batch.apply(to: &tables)
            views.append(try #require(tables.order(endpoint: "antom", reference: "QR-1")))
        }
        #expect(views[0].order.isFull && views[0].laterCount > 20)
        #expect(views[1] == views[0] && views[2] == views[0])
    }

    @Test func `a snapshot makes no difference`() async throws {
        var options = Self.options
        options.snapshotRecords = 1_000_000
        options.snapshotClosingRecords = 1
        let storage = MemoryStorage()
        for half in [Self.story.prefix(70), Self.story.suffix(50)] {
            let store = try Samples.store(on: storage, options)
            for notification in half { _ = await store.record(Samples.submission(notification)) }
            await store.close()
        }
        let restarted = try Samples.store(on: storage, options)
        #expect(restarted.recovery.snapshot == UInt64(Self.story.count))
        let view = await restarted.order(endpoint: "antom", reference: "QR-1")
        await restarted.close()
        let seen = try await Self.views(Self.story, ["QR-1"])
        #expect(seen.live == [view] && seen.replayed == [view])
    }
}
