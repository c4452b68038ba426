import Payments
import ProviderFixtures
import TestSupport
import Testing

/// A person's decision ends a review and never hides later reports of a provider.
@Suite struct ResolutionTruthTests {
    @Test(arguments: ProviderFixture.withTellers)
    func `every provider`(_ fixture: ProviderFixture) {
        guard let teller = fixture.teller else { return }
        play(teller)
    }

    private static let seeds: Range<UInt64> = 0..<400

    /// A ledger after a person has decided between two series of notifications.
    private func ledger(
        _ before: [Notification], _ after: [Notification], _ reference: String
    ) -> (order: Order, resolved: Order)? {
        var ledger = TruthLedger()
        for notification in before { ledger.record(notification, isLast: true) }
        guard ledger.resolve(reference) != nil, let resolved = ledger.order(reference) else {
            return nil
        }
        for notification in after { ledger.record(notification, isLast: true) }
        return ledger.order(reference).map { ($0, resolved) }
    }

    private func play<Provider: Teller>(_ provider: Provider.Type) {
        var stood = 0
        var reopened = 0
        for seed in Effort.share(of: Self.seeds) {
            var generator = SeededGenerator(seed: seed)
            let life = Life(Provider.abilities, seed: seed, using: &generator)
            var teller = Provider(life, using: &generator)
            var told = teller.tell(life)
            // A claim that contradicts the life causes a review.
            if generator.once(in: 2), let sale = life.sale {
                told += teller.tell(
                    .attempt(id: sale.id, .paid, sale.amount + 1), number: sale.number)
            }
            told.shuffle(using: &generator)
            // Often the person has seen everything, else few decisions would remain.
            let cut =
                generator.once(in: 3)
                ? told.count : Int.random(in: 0...told.count, using: &generator)
            let (before, after) = (Array(told[..<cut]), Array(told[cut...]))
            guard let first = ledger(before, after, life.reference) else { continue }
            #expect(first.resolved.status != .review && first.resolved.isResolved, "seed \(seed)")
            // Repetitions of notifications that the person has seen change nothing.
            let repeated = ledger(before, before.shuffled(using: &generator), life.reference)
            #expect(repeated?.order.summary == first.resolved.summary, "seed \(seed)")
            for _ in 0..<3 {
                let other = ledger(
                    before.shuffled(using: &generator), after.shuffled(using: &generator),
                    life.reference)
                #expect(
                    other?.order.summary == first.order.summary,
                    "seed \(seed): the order of arrival shows")
            }
            let isStill = first.order.factDigest == first.resolved.factDigest
            if first.order.isResolved {
                stood += 1
                #expect(isStill, "seed \(seed): a later fact is hidden")
            } else if first.order.factualSummary.status == .review {
                reopened += 1
                #expect(first.order.status == .review, "seed \(seed)")
            }
        }
        #expect(stood > 0 && reopened > 0, "\(stood) stood, \(reopened) were reopened")
    }
}
