import Payments
import ProviderFixtures
import Store
import TestSupport
import Testing

/// Contradictions of a provider are never resolved by the order of arrival.
@Suite struct ContradictionTests {
    private static let seeds: Range<UInt64> = 0..<120

    @Test(arguments: ProviderFixture.withTellers.filter(\.hasEventIdentities))
    func `every provider`(_ fixture: ProviderFixture) {
        guard let teller = fixture.teller else { return }
        play(teller)
    }

    private func play<Provider: Teller>(_ provider: Provider.Type) {
        for seed in Effort.share(of: Self.seeds) {
            var generator = SeededGenerator(seed: seed)
            let life = Life(
                Provider.abilities.subtracting(.secondPayments), seed: seed, using: &generator)
            guard let sale = life.sale else { continue }
            var teller = Provider(life, using: &generator)
            let told = teller.tell(life)
            let other = Int64.random(in: 1..<sale.amount, using: &generator)
            let amounts = teller.tell(
                .attempt(id: sale.id, .paid, generator.once(in: 2) ? other : sale.amount + other),
                number: sale.number)
            expectReview(life, told + amounts, &generator) { order in
                let claims = [sale.amount, amounts[0].effect.amount?.minor ?? 0].sorted()
                return order.summary.claims.map(\.minor) == claims
                    && order.amount?.minor == claims[0]
            }
            let suffix = generator.once(in: 2) ? "B" : "A"
            let references = amounts.filter { $0.transaction != nil }.map { notification in
                var renamed = notification
                renamed.reference = "\(life.reference)-\(suffix)"
                renamed.effect = .attempt(
                    .paid, Money(minor: sale.amount, currency: Money.sampleCurrency))
                return renamed
            }
            expectRivals(life, told, references, &generator)
        }
    }

    /// One refund that is reported as succeeded and as failed; with the charge's id it is the same
    /// refund only if everything else is equal, the time included.
    @Test func `Citcon UPI tells a refund succeeded and failed`() {
        var count = 0
        for seed in Effort.share(of: Self.seeds) {
            var generator = SeededGenerator(seed: seed)
            let life = Life(CitconUPITeller.abilities, seed: seed, using: &generator)
            var teller = CitconUPITeller(life, using: &generator)
            var told = teller.tell(life)
            guard let (refund, number) = life.refund else { continue }
            count += 1
            var again = teller
            guard case .refund(let id, let parent, _, let amount) = refund else { continue }
            let failure = again.tell(
                .refund(id: id, of: parent, .failed, amount), number: number)
            let isItsOwn = failure[0].effect.id == id
            told += isItsOwn ? failure : told.filter(\.isSucceededRefund).map(\.failing)
            for _ in 0..<4 {
                told.shuffle(using: &generator)
                var ledger = TruthLedger()
                for notification in told { ledger.record(notification, isLast: true) }
                let summary = ledger.order(life.reference)?.summary
                #expect(
                    summary?.flags.contains(.contradicted) ?? false,
                    "seed \(seed): \(String(describing: summary)) after \(told)")
            }
        }
        #expect(count > Effort.share(of: 20))
    }

    /// One payment's id is reported under two references. If it is unique in the account, both
    /// orders are in `review` and each names the other; otherwise it has no effect.
    private func expectRivals(
        _ life: Life, _ told: [Notification], _ renamed: [Notification],
        _ generator: inout SeededGenerator
    ) {
        guard let other = renamed.first?.reference else { return }
        let isShared = renamed[0].ids != .reference
        var seen: [[OrderView?]] = []
        for _ in 0..<4 {
            var ledger = TruthLedger()
            var row = told + renamed + [generator.pick(told + renamed)]
            if !seen.isEmpty { row.shuffle(using: &generator) }
            for (place, notification) in row.enumerated() {
                ledger.record(
                    notification, isLast: generator.once(in: 2) || place == row.count - 1)
            }
            #expect(ledger.orderCount == 2, "\(life.reference): not two orders after \(row)")
            seen.append([life.reference, other].map { ledger.view($0) })
        }
        let names = seen.map { $0.map { $0?.rivals } }
        #expect(names.allSatisfy { $0 == (isShared ? [[other], [life.reference]] : [[], []]) })
        let orders = seen.map { $0.map { $0?.order } }
        #expect(orders.allSatisfy { $0 == orders[0] }, "the order of arrival shows in \(told)")
        for order in orders[0] {
            #expect(order?.flags.contains(.sharedID) == isShared)
            if isShared { #expect(order?.status == .review) }
        }
    }

    /// Expects the order in `review` with flag `conflict`, in any order of arrival.
    private func expectReview(
        _ life: Life, _ told: [Notification], _ generator: inout SeededGenerator,
        _ isComplete: (Order) -> Bool
    ) {
        var orders: [Order?] = []
        for _ in 0..<4 {
            var row = told + [generator.pick(told)]
            if !orders.isEmpty { row.shuffle(using: &generator) }
            var ledger = TruthLedger()
            for (place, notification) in row.enumerated() {
                ledger.record(
                    notification, isLast: generator.once(in: 2) || place == row.count - 1)
            }
            #expect(ledger.orderCount == 1, "\(life.reference) is several orders after \(row)")
            orders.append(ledger.order(life.reference))
        }
        #expect(orders.allSatisfy { $0 == orders[0] }, "the order of arrival shows in \(told)")
        #expect(
            orders[0].map {
                $0.status == .review && $0.flags.contains(.conflict) && isComplete($0)
            } ?? false,
            "\(String(describing: orders[0])) after \(told)")
    }
}

extension Notification {
    fileprivate var isSucceededRefund: Bool {
        if case .unclearRefund(_, .succeeded, _) = effect { true } else { false }
    }

    /// The same refund, failed.
    fileprivate var failing: Notification {
        guard case .unclearRefund(let id, _, let claim) = effect else { return self }
        var failing = self
        failing.id += "-failed"
        failing.effect = .unclearRefund(id: id, .failed, claim)
        return failing
    }
}

extension Life {
    /// The first refund that succeeded.
    fileprivate var refund: (Fact, Int)? {
        for (number, fact) in facts.enumerated() {
            if case .refund(_, _, .succeeded, _) = fact { return (fact, number) }
        }
        return nil
    }

    /// The attempt that was captured at once, if there is one.
    var sale: (id: String, amount: Int64, number: Int)? {
        for (number, fact) in facts.enumerated() {
            if case .attempt(let id, .paid, let amount) = fact { return (id, amount, number) }
        }
        return nil
    }
}
