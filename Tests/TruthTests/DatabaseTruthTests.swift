import DatabaseSimulation
import Ledger
import Payments
import Platform
import ProviderFixtures
import Records
import Store
import TestSupport
import Testing

@testable import PostgreSQLStore

/// The same lives on the store in a database, batch by batch and as rows of tables: they give the
/// same truth as the ledger in memory (`TruthTests`).
@Suite struct DatabaseTruthTests {
    @Test(arguments: ProviderFixture.withTellers)
    func `every provider`(_ fixture: ProviderFixture) async throws {
        guard let teller = fixture.teller else { return }
        try await play(teller)
    }

    private static let lives: UInt64 = 300
    /// Number of lives in one database; each has its own endpoints.
    private static let livesPerDatabase = 25

    private func play<Provider: Teller>(_ provider: Provider.Type) async throws {
        let seeds = Effort.share(of: 0..<Self.lives)
        for first in stride(from: 0, to: seeds.count, by: Self.livesPerDatabase) {
            let database = SimulatedDatabase(clock: SystemClock())
            var options = DatabaseOptions()
            options.followsOthers = false
            options.readConnectionsMax = 1
            let store = PostgreSQLStore(
                database.source(0), options: options,
                environment: DatabaseEnvironment(clock: SystemClock()))
            for seed in seeds[first...].prefix(Self.livesPerDatabase) {
                try await play(provider, seed: seed, store)
            }
            await store.close()
            #expect(database.unknownStatements.isEmpty)
        }
    }

    private func play<Provider: Teller>(
        _ provider: Provider.Type, seed: UInt64, _ store: PostgreSQLStore
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let life = Life(Provider.abilities, seed: seed, using: &generator)
        var teller = Provider(life, using: &generator)
        let told = teller.tell(life)
        let truth = Truth(life)
        var again = told
        for _ in 0..<Int.random(in: 0...3, using: &generator) { again.append(generator.pick(told)) }
        again.shuffle(using: &generator)
        let summary = try await summary(of: life, after: told, "a-\(seed)", store, &generator)
        let other = try await self.summary(of: life, after: again, "b-\(seed)", store, &generator)
        #expect(summary == other, "seed \(seed): the order of arrival shows")
        let isRight =
            summary?.status == truth.status
            && summary?.captured?.minor ?? 0 == truth.captured
            && summary?.refunded?.minor ?? 0 == truth.refunded
        #expect(
            isRight || summary?.status == .review,
            "seed \(seed): \(String(describing: summary)) is not \(truth) after \(life.facts)")
    }

    /// The order after the notifications, of which up to three arrive at the same time.
    private func summary(
        of life: Life, after row: [Notification], _ endpoint: String, _ store: PostgreSQLStore,
        _ generator: inout SeededGenerator
    ) async throws -> OrderSummary? {
        var rest = row[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Int.random(in: 1...3, using: &generator))
            rest = rest.dropFirst(batch.count)
            await withTaskGroup { group in
                for notification in batch {
                    group.addTask {
                        let receipt = await store.record(submission(notification, endpoint))
                        #expect(receipt.sequence != nil, "\(receipt)")
                    }
                }
            }
        }
        let order = try await store.order(endpoint: endpoint, reference: life.reference)
        for notification in row where notification.effect != .none {
            for name in names(in: notification, endpoint) {
                let found = try await store.reader.order(name)
                #expect(found?.order == order?.order, "\(name) does not lead to \(life.reference)")
            }
        }
        return order?.order.summary
    }

    private func names(in notification: Notification, _ endpoint: String) -> [OrderKey] {
        let references = [notification.reference, notification.alias].compactMap(\.self)
        let ids = [notification.transaction, notification.effect.id].compactMap(\.self)
        return references.map { .reference(endpoint: endpoint, $0) }
            + ids.filter { !$0.isEmpty }.map { .id(endpoint: endpoint, $0) }
    }
}

private func submission(_ notification: Notification, _ endpoint: String) -> Submission {
    Submission(
        endpoint: endpoint, provider: "p", key: "1", notification: notification,
        request: RecordedRequest(
            method: "POST", target: Array("/ipn".utf8)[...], headers: [], body: []),
        peer: "", received: Timestamp(microseconds: 1_795_244_400_000_000))
}
