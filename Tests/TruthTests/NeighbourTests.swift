import Payments
import ProviderFixtures
import TestSupport
import Testing

/// Two orders that are reported at the same time stay two, although operations of one may carry the
/// other's reference.
@Suite struct NeighbourTests {
    private static let pairs: Range<UInt64> = 0..<200

    @Test(arguments: ProviderFixture.withTellers)
    func `every provider`(_ fixture: ProviderFixture) {
        guard let teller = fixture.teller else { return }
        play(teller)
    }

    private func play<Provider: Teller>(_ provider: Provider.Type) {
        for pair in Effort.share(of: Self.pairs) {
            var generator = SeededGenerator(seed: pair)
            var told: [Notification] = []
            var truths: [(life: Life, truth: Truth)] = []
            for seed in [2 * pair, 2 * pair + 1] {
                let life = Life(Provider.abilities, seed: seed, using: &generator)
                var teller = Provider(life, using: &generator)
                told += teller.tell(life)
                truths.append((life, Truth(life)))
            }
            told.shuffle(using: &generator)
            var ledger = TruthLedger()
            for (place, notification) in told.enumerated() {
                ledger.record(
                    notification, isLast: generator.once(in: 2) || place == told.count - 1)
            }
            #expect(ledger.orderCount == 2, "pair \(pair): not two orders after \(told)")
            for (life, truth) in truths {
                let summary = ledger.order(life.reference)?.summary
                let isRight =
                    summary?.status == truth.status
                    && summary?.captured?.minor ?? 0 == truth.captured
                    && summary?.refunded?.minor ?? 0 == truth.refunded
                #expect(
                    isRight || summary?.status == .review,
                    "pair \(pair): \(String(describing: summary)) is not \(truth) after \(told)")
            }
        }
    }
}
