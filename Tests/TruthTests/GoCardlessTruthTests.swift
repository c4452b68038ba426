import Payments
import ProviderFixtures
import TestSupport
import Testing

/// The model of the truth for GoCardless, whose events have no sums and come in batches: two debits
/// at a time, their events in any order and repetition, cut into requests anyhow.
@Suite struct GoCardlessTruthTests {
    private static let seeds: Range<UInt64> = 0..<600

    @Test func `orders end as the debits did, however their events arrive`() {
        var statuses: Set<OrderStatus> = []
        for seed in Effort.share(of: Self.seeds) {
            var generator = SeededGenerator(seed: seed)
            let lives = (0...1).map { GoCardlessLife("R\(seed)-\($0)", using: &generator) }
            var seen: [[OrderSummary?]] = []
            for round in 0..<4 {
                let ledger = Self.ledger(lives, isShuffled: round > 0, &generator)
                if ledger.orderCount != 2 {
                    Issue.record("seed \(seed): \(ledger.orderCount) orders, not two")
                }
                seen.append(lives.map { ledger.order($0.reference)?.summary })
            }
            if !seen.allSatisfy({ $0 == seen[0] }) {
                Issue.record("seed \(seed): the order of arrival shows in \(lives)")
            }
            for (life, summary) in zip(lives, seen[0]) {
                if summary.map({ !Self.agrees($0, with: life) }) ?? true {
                    Issue.record(
                        """
                        seed \(seed): \(String(describing: summary)) is not \(life.status) \
                        after \(life.events)
                        """)
                }
                statuses.insert(life.status)
            }
        }
        #expect(statuses.count == 6, "\(statuses)")
    }

    /// Nothing has a sum, and whatever is not plain has its flag.
    private static func agrees(_ summary: OrderSummary, with life: GoCardlessLife) -> Bool {
        let flags: Set<Flag> = Set(
            (life.movesMoney ? [.amountUnknown] : []) + (life.isContradicted ? [.contradicted] : [])
        )
        return summary.status == life.status && Set(summary.flags) == flags
            && summary.amount == nil && summary.refunded == nil
            && summary.reason?.code == life.cause
    }

    /// The ledger after all events, in requests of one to five; some come again, alone or in
    /// another request, and some requests have an element that cannot be read.
    private static func ledger(
        _ lives: [GoCardlessLife], isShuffled: Bool, _ generator: inout SeededGenerator
    ) -> TruthLedger {
        var row = lives.flatMap(\.events)
        if isShuffled {
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                row.append(generator.pick(row))
            }
            row.shuffle(using: &generator)
        }
        var ledger = TruthLedger()
        var rest = row[...]
        while !rest.isEmpty {
            var request = Array(rest.prefix(Int.random(in: 1...5, using: &generator)))
            rest = rest.dropFirst(request.count)
            if generator.once(in: 4) {
                let place = Int.random(in: 0...request.count, using: &generator)
                request.insert(generator.pick(["7", "null", "{}", #""text""#]), at: place)
            }
            let told = GoCardlessLife.read(request)
            if told.count != request.count {
                Issue.record("\(told.count) notifications of \(request)")
            }
            for (place, notification) in told.enumerated() {
                ledger.record(notification, isLast: place == told.count - 1)
            }
        }
        return ledger
    }
}
