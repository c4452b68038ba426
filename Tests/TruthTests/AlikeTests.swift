import Payments
import ProviderFixtures
import TestSupport
import Testing

/// Orders with similar numbers do not affect each other: each is as when it is reported alone.
@Suite struct AlikeTests {
    private static let pairs: Range<UInt64> = 0..<300

    /// ecommpay numbers its operations within their payment: 1, 2, 3 for every order.
    @Test func `ids that are unique within an order only`() {
        var count = 0
        for pair in Effort.share(of: Self.pairs) {
            var generator = SeededGenerator(seed: pair)
            let lives = [2 * pair, 2 * pair + 1].map {
                Neighbour(EcommpayTeller.self, seed: $0, &generator)
            }
            let told = lives.map { $0.renumbered() }
            expectUnspoiled(lives, told, pair, &generator)
            count += told.joined().count
        }
        #expect(count > 300)
    }

    /// A sender that the configuration describes may do so, too.
    @Test func `ids of a sender that counts anew in each order`() {
        for pair in Effort.share(of: Self.pairs) {
            var generator = SeededGenerator(seed: pair)
            let lives = [2 * pair, 2 * pair + 1].map {
                Neighbour(MappedTeller.self, seed: $0, &generator)
            }
            let told = lives.map { neighbour in
                neighbour.renumbered().map { notification in
                    var told = notification
                    told.ids = .reference
                    return told
                }
            }
            expectUnspoiled(lives, told, pair, &generator)
        }
    }

    @Test func `refunds named like a payment of another order`() {
        var count = 0
        for pair in Effort.share(of: Self.pairs) {
            var generator = SeededGenerator(seed: pair)
            let lives = [2 * pair, 2 * pair + 1].map { seed in
                pair.isMultiple(of: 2)
                    ? Neighbour(CitconUPITeller.self, seed: seed, &generator)
                    : Neighbour(CitconPayTeller.self, seed: seed, &generator)
            }
            guard let payment = lives[0].payment, let operation = lives[1].operation else {
                continue
            }
            let told = [lives[0].told, lives[1].told.map { $0.renaming([operation: payment]) }]
            expectUnspoiled(lives, told, pair, &generator)
            count += 1
        }
        #expect(count > 10)
    }

    /// The test button of a dashboard, for example: its id never changes.
    @Test func `three hundred references on one ID`() {
        var ledger = TruthLedger()
        for number in 0..<300 {
            ledger.record(
                Notification(
                    id: "E-\(number)", kind: "payment", status: "paid", reference: "R\(number)",
                    transaction: "T",
                    effect: .attempt(.paid, Money(minor: 100, currency: Money.sampleCurrency))),
                isLast: true)
        }
        #expect(ledger.orderCount == 300)
        for number in [0, 252, 253, 299] {
            let view = ledger.view("R\(number)")
            #expect(view?.order.reference == "R\(number)")
            #expect(view?.order.flags == [.sharedID])
            #expect(view?.rivals.count == 8)
        }
    }

    @Test(arguments: [false, true])
    func `each of many references names the least of the others`(isReversed: Bool) {
        let names = (10..<30).map { "R\($0)" }
        var ledger = TruthLedger()
        for name in isReversed ? names.reversed() : names {
            ledger.record(
                Notification(
                    id: "E-\(name)", kind: "payment", status: "paid", reference: name,
                    transaction: "T",
                    effect: .attempt(.paid, Money(minor: 100, currency: Money.sampleCurrency))),
                isLast: true)
        }
        for name in names {
            let least = names.filter { $0 != name }.prefix(8)
            #expect(ledger.view(name)?.rivals == Array(least))
        }
    }

    private func expectUnspoiled(
        _ lives: [Neighbour], _ told: [[Notification]], _ pair: UInt64,
        _ generator: inout SeededGenerator
    ) {
        let all = told.flatMap(\.self).shuffled(using: &generator)
        var ledger = TruthLedger()
        for (place, notification) in all.enumerated() {
            ledger.record(notification, isLast: generator.once(in: 2) || place == all.count - 1)
        }
        for neighbour in lives {
            var alone = TruthLedger()
            for (place, notification) in neighbour.told.enumerated() {
                alone.record(notification, isLast: place == neighbour.told.count - 1)
            }
            let found = ledger.order(neighbour.life.reference)?.summary
            let expected = alone.order(neighbour.life.reference)?.summary
            #expect(found == expected, "pair \(pair), \(neighbour.life.reference): \(all)")
        }
    }
}

private struct Neighbour {
    let life: Life
    let told: [Notification]

    init<Provider: Teller>(
        _ provider: Provider.Type, seed: UInt64, _ generator: inout SeededGenerator
    ) {
        life = Life(Provider.abilities, seed: seed, using: &generator)
        var teller = Provider(life, using: &generator)
        told = teller.tell(life)
    }

    /// The id of one of its payments.
    var payment: String? {
        told.lazy.compactMap { note in
            if case .attempt = note.effect { note.transaction } else { nil }
        }.first
    }

    /// The id of an operation to which nothing refers.
    var operation: String? {
        told.lazy.compactMap(\.effect.id).first { id in
            !id.isEmpty && !told.contains { $0.transaction == id }
        }
    }

    /// Replaces all ids by 1, 2, 3 in the order of the notifications.
    func renumbered() -> [Notification] {
        var names: [String: String] = [:]
        for id in told.flatMap({ [$0.transaction, $0.effect.id] }).compactMap(\.self)
        where !id.isEmpty && names[id] == nil {
            names[id] = "\(names.count + 1)"
        }
        return told.map { $0.renaming(names) }
    }
}

extension Notification {
    fileprivate func renaming(_ names: [String: String]) -> Notification {
        func name(_ id: String) -> String { names[id] ?? id }
        var renamed = self
        renamed.transaction = transaction.map(name)
        renamed.effect =
            switch effect {
            case .capture(let id, let status, let amount): .capture(id: name(id), status, amount)
            case .refund(let id, let status, let amount): .refund(id: name(id), status, amount)
            case .unclearRefund(let id, let status, let claim):
                .unclearRefund(id: name(id), status, claim)
            case .dispute(let id, let status, let amount): .dispute(id: name(id), status, amount)
            case .reversal(let kind, let id, let status, let amount):
                .reversal(kind, id: name(id), status, amount)
            case .attempt, .doubt, .none: effect
            }
        return renamed
    }
}
