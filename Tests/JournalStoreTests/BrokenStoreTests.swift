import Ledger
import Payments
import Store
import StoreConformance
import Testing

@testable import JournalStore

/// A store with one mistake, over the real one.
struct BrokenStore: Store {
    enum Defect: String, CaseIterable {
        case hidesOrders, forgetsIdentities, sharesEndpoints, dropsRefunds, skipsSequences
        case findsTheFirstOnly, forgetsRegistrations, forgetsActs, endsItsFeed, acceptsWhenClosed,
            keepsNothing,
            forgetsOnRestart, splitsRequests, joinsRequests
    }

    let store: JournalStore
    let defect: Defect
    let commitFeed: CommitFeed

    init(_ store: JournalStore, _ defect: Defect) {
        self.store = store
        self.defect = defect
        commitFeed = defect == .endsItsFeed ? CommitFeed() : store.commitFeed
        if defect == .endsItsFeed { commitFeed.close() }
    }

    func record(_ submission: consuming Submission) async -> Receipt {
        var submission = submission
        switch defect {
        case .forgetsIdentities:
            submission.notification.id += "-\(UInt64.random(in: .min ... .max))"
        case .sharesEndpoints: submission.endpoint = "e"
        case .dropsRefunds:
            if case .refund = submission.notification.effect { return Receipt(.recorded(1)) }
        case .keepsNothing: return Receipt(.recorded(1))
        default: break
        }
        var receipt = await store.record(submission)
        if defect == .acceptsWhenClosed, case .refused = receipt.outcome {
            receipt.outcome = .recorded(1)
        }
        if defect == .skipsSequences, case .recorded(let sequence) = receipt.outcome {
            receipt.outcome = .recorded(sequence * 2)
        }
        return receipt
    }

    func record(_ events: [Submission]) async -> [Receipt] {
        switch defect {
        case .splitsRequests:
            var receipts: [Receipt] = []
            for event in events { receipts.append(await record(event)) }
            return receipts
        case .joinsRequests:
            let receipt = await store.record(events[0])
            return events.map { _ in receipt }
        case .forgetsIdentities, .keepsNothing, .dropsRefunds:
            return await store.record(events).map { _ in Receipt(.recorded(1)) }
        case .acceptsWhenClosed: return events.map { _ in Receipt(.recorded(1)) }
        default: return await store.record(events)
        }
    }

    func register(_ registration: Registration) async -> Receipt {
        if defect == .forgetsRegistrations { return Receipt(.recorded(1)) }
        return await store.register(registration)
    }

    func act(_ act: Act) async -> ActReceipt {
        if defect == .forgetsActs { return .recorded(1) }
        return await store.act(act)
    }

    func order(endpoint: String, reference: String) async -> OrderView? {
        if defect == .hidesOrders { return nil }
        return await store.order(endpoint: endpoint, reference: reference)
    }

    func order(endpoint: String, unjoined id: String) async -> OrderView? {
        if defect == .hidesOrders { return nil }
        return await store.order(endpoint: endpoint, unjoined: id)
    }

    func orders(knownAs text: String, endpoint: String?) async -> [OrderView] {
        let found = await store.orders(knownAs: text, endpoint: endpoint)
        return defect == .findsTheFirstOnly ? Array(found.prefix(1)) : found
    }

    func close() async { await store.close() }
}

/// The conformance checks are not blind: each fails on a store that does not keep its promise.
@Suite struct BrokenStoreTests {
    /// A feed that never ends shows in its check by the time limit only, and so does one that is
    /// never notified of a record.
    static let withoutDefect: Set<String> = ["the feed ends with the store"]
    static let waitForRecords: Set<String> = [
        "the feed tells of records and orders that have become durable"
    ]

    @Test
    func `each check fails on some broken store`() async throws {
        var blind = Set(StoreCheck.all.map(\.description))
        for defect in BrokenStore.Defect.allCases {
            var catches = 0
            for check in StoreCheck.all {
                let wouldWait =
                    defect == .keepsNothing && Self.waitForRecords.contains(check.description)
                guard !wouldWait, try await Self.fails(check, defect) else { continue }
                blind.remove(check.description)
                catches += 1
            }
            #expect(catches > 0, "no check notices \(defect)")
        }
        #expect(blind == Self.withoutDefect)
    }

    private static func fails(
        _ check: StoreCheck, _ defect: BrokenStore.Defect
    ) async throws -> Bool {
        let storage = MemoryStorage()
        do {
            try await check.run {
                let own = defect == .forgetsOnRestart ? MemoryStorage() : storage
                return BrokenStore(try Samples.store(on: own), defect)
            }
            return false
        } catch is StoreCheck.Broken {
            return true
        }
    }
}
