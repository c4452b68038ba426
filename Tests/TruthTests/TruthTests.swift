import Payments
import TestSupport
import Testing

/// The model of the truth: what a provider tells of a payment's life, in whatever order, as often
/// as it likes, gives the order that its own books have; or one that a person has to look at, where
/// the words alone cannot tell. There is no third outcome.
///
/// No `#expect` in the loops: it costs more than what it looks at.
@Suite struct TruthTests {
    @Test(arguments: 0..<8)
    func openPaymentPlatform(block: UInt64) { play(OPPTeller.self, block) }

    @Test(arguments: 0..<8)
    func antom(block: UInt64) { play(AntomTeller.self, block) }

    @Test(arguments: 0..<8)
    func citconUPI(block: UInt64) { play(CitconUPITeller.self, block) }

    @Test(arguments: 0..<8)
    func citconPay(block: UInt64) { play(CitconPayTeller.self, block) }

    @Test(arguments: 0..<8)
    func ecommpay(block: UInt64) { play(EcommpayTeller.self, block) }

    private static let livesPerBlock: UInt64 = 400

    private func play<Provider: Teller>(_ provider: Provider.Type, _ block: UInt64) {
        var clear = 0
        var reviewed = 0
        for seed in Effort.share(of: block * Self.livesPerBlock..<(block + 1) * Self.livesPerBlock)
        {
            var generator = SeededGenerator(seed: seed)
            let life = Life(Provider.abilities, seed: seed, using: &generator)
            var teller = Provider(life, using: &generator)
            let told = teller.tell(life)
            let truth = Truth(life)
            var summaries: [OrderSummary?] = []
            for _ in 0..<3 {
                summaries.append(
                    self.summary(of: life, after: told, isShuffled: !summaries.isEmpty, &generator))
            }
            if !summaries.allSatisfy({ $0 == summaries[0] }) {
                Issue.record("seed \(seed): the order of arrival shows")
            }
            guard let summary = summaries[0] else {
                Issue.record("seed \(seed): no order after \(told)")
                continue
            }
            let isRight =
                summary.status == truth.status
                && summary.captured?.minor ?? 0 == truth.captured
                && summary.refunded?.minor ?? 0 == truth.refunded
            if !isRight, summary.status != .review {
                Issue.record("seed \(seed): \(summary) is not \(truth) after \(life.facts)")
            }
            if !teller.isUnclear {
                clear += 1
                if summary.status == .review { reviewed += 1 }
            }
        }
        #expect(
            reviewed * 50 <= clear, "\(reviewed) of \(clear) clear lives need a person")
    }

    /// The order after the notifications, some of them repeated, in some order, in some batches.
    private func summary(
        of life: Life, after told: [Notification], isShuffled: Bool,
        _ generator: inout SeededGenerator
    ) -> OrderSummary? {
        var row = told
        if isShuffled {
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                row.append(generator.pick(told))
            }
            row.shuffle(using: &generator)
        }
        var ledger = TruthLedger()
        for (number, notification) in row.enumerated() {
            ledger.record(
                notification, isLast: generator.once(in: 2) || number == row.count - 1)
        }
        let order = ledger.order(life.reference)
        if order != nil, ledger.orderCount != 1 {
            Issue.record("\(life.reference): the facts lie in several orders")
        }
        for notification in told
        where !ledger.orders(namedBy: notification).allSatisfy({ $0 == order }) {
            Issue.record("a name of \(notification) does not lead to \(life.reference)")
        }
        return order?.summary
    }
}
