import Payments
import ProviderFixtures
import TestSupport
import Testing

/// The model of the truth: a provider's reports of a payment's life, in any order and with
/// repetitions, give the order of its own books; or one that a person has to decide on, if the
/// reports are ambiguous. There is no third outcome.
///
/// No `#expect` in the loops: it costs more than the check itself.
@Suite struct TruthTests {
    @Test(arguments: ProviderFixture.withTellers, 0..<8)
    func `every provider`(_ fixture: ProviderFixture, block: UInt64) {
        guard let teller = fixture.teller, block < fixture.truthBlocks else { return }
        play(teller, block)
    }

    /// A block's number of lives; most providers have eight blocks, recipes and newer folders two.
    private static let livesPerBlock: UInt64 = 1050

    private func play<Provider: Teller>(_ provider: Provider.Type, _ block: UInt64) {
        var clear = 0
        var reviewed = 0
        var examples: [String] = []
        for seed in Effort.share(of: block * Self.livesPerBlock..<(block + 1) * Self.livesPerBlock)
        {
            var generator = SeededGenerator(seed: seed)
            let life = Life(
                Provider.abilities.union(Provider.troubles), seed: seed, using: &generator)
            var teller = Provider(life, using: &generator)
            let truth = Truth(life)
            let told = self.told(&teller, life, truth, &generator)
            let expected = expected(of: life, &generator)
            var summaries: [OrderSummary?] = []
            for _ in 0..<3 {
                summaries.append(
                    self.summary(
                        of: life, after: told, expected, isShuffled: !summaries.isEmpty,
                        &generator))
            }
            if !summaries.allSatisfy({ $0 == summaries[0] }) {
                Issue.record("seed \(seed): the order of arrival shows")
            }
            guard let summary = summaries[0] else {
                Issue.record("seed \(seed): no order after \(told)")
                continue
            }
            let isUnexpected = expected.map { truth.contradicts(expected: $0, of: life) } ?? false
            #expect(
                summary.status == .review || (truth.agrees(with: summary) && !isUnexpected),
                "seed \(seed): \(summary) is not \(truth) after \(life.facts) and \(told)")
            if !teller.isUnclear && expected ?? life.total == life.total {
                clear += 1
                if summary.status == .review {
                    reviewed += 1
                    examples.append("seed \(seed): \(summary.flags) after \(life.facts)")
                }
            }
        }
        #expect(
            reviewed * 200 <= clear,
            "\(reviewed) of \(clear) clear lives need a person: \(examples)")
    }

    /// The notifications; if an answer lists everything, also with it, or only it.
    private func told(
        _ teller: inout some Teller, _ life: Life, _ truth: Truth,
        _ generator: inout SeededGenerator
    ) -> [Notification] {
        let told = teller.tell(life)
        let answer = teller.answer(life, truth)
        guard !answer.isEmpty, generator.once(in: 2) else { return told }
        return generator.once(in: 2) ? answer : told + answer
    }

    /// The merchant's expectation, if any: sometimes one unit too much.
    private func expected(of life: Life, _ generator: inout SeededGenerator) -> Int64? {
        let isRaised = life.facts.contains { if case .raise = $0 { true } else { false } }
        guard !isRaised, generator.once(in: 2) else { return nil }
        return generator.once(in: 5) ? life.total + 1 : life.total
    }

    /// The order after the notifications, some of them repeated, in some order and some batches,
    /// with the expectation somewhere among them.
    private func summary(
        of life: Life, after told: [Notification], _ expected: Int64?, isShuffled: Bool,
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
        let registers = Int.random(in: 0...row.count, using: &generator)
        func register(_ number: Int) {
            guard number == registers, let expected else { return }
            ledger.register(life.reference, Money(minor: expected, currency: Money.sampleCurrency))
        }
        for (number, notification) in row.enumerated() {
            register(number)
            ledger.record(
                notification, isLast: generator.once(in: 2) || number == row.count - 1)
        }
        register(row.count)
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
