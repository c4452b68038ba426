import Payments
import TestSupport
import Testing

@Suite struct OrderPropertyTests {
    @Test(arguments: 0..<40)
    func `any permutation and any repetition gives one state`(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var generator = SeededGenerator(seed: seed)
            let notifications = generator.notifications()
            let amount = money(generator.pick([50, 100]))
            let expectation = generator.once(in: 3) ? Registration(amount: amount) : nil
            let first = ledger(notifications, expectation: expectation, at: 0)

            for _ in 0..<4 {
                var again = notifications
                for _ in 0..<Int.random(in: 0...4, using: &generator) {
                    again.append(generator.pick(notifications))
                }
                again.shuffle(using: &generator)
                let place = Int.random(in: 0...again.count, using: &generator)
                let other = ledger(
                    again, expectation: expectation, at: place,
                    usesEncoding: generator.once(in: 2))
                #expect(first == other, "seed \(seed)")
                for order in first.orders where order.reference != nil {
                    let same = other.orders.first { $0.reference == order.reference }
                    #expect(order.summary == same?.summary, "seed \(seed)")
                }
            }
        }
    }

    @Test(arguments: 0..<10)
    func `merging is commutative associative and idempotent`(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var generator = SeededGenerator(seed: 1_000_000 + seed)
            let parts = (0..<3).map { _ in randomOrder(&generator) }
            let (a, b, c) = (parts[0], parts[1], parts[2])
            #expect(a.merging(b) == b.merging(a), "seed \(seed)")
            #expect(a.merging(b).merging(c) == a.merging(b.merging(c)), "seed \(seed)")
            #expect(a.merging(a) == a, "seed \(seed)")
            #expect(a.merging(b).merging(b) == a.merging(b), "seed \(seed)")
        }
    }

    @Test(arguments: 0..<10)
    func `applying to a merged order is merging the applied`(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var generator = SeededGenerator(seed: 2_000_000 + seed)
            // A person saw one of the two orders, so it matters whether that was before they were
            // merged.
            let (a, b) = (
                randomOrder(&generator, resolves: false), randomOrder(&generator, resolves: false)
            )
            let notification = generator.notification(number: 0)
            #expect(
                a.merging(b).applying(notification) == a.applying(notification).merging(b),
                "seed \(seed)")
        }
    }

    @Test(arguments: 0..<10)
    func `an order is what it was after writing and reading`(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var generator = SeededGenerator(seed: 3_000_000 + seed)
            let order = randomOrder(&generator)
            #expect(Order(encoded: order.encoded()) == order, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<10)
    func `damage gives nil or an order with exactly those bytes and never a trap`(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var generator = SeededGenerator(seed: 4_000_000 + seed)
            let bytes = randomOrder(&generator).encoded()
            for end in bytes.indices { #expect(Order(encoded: bytes[..<end]) == nil) }
            #expect(Order(encoded: bytes + [0]) == nil)
            for place in bytes.indices {
                var damaged = bytes
                damaged[place] = UInt8.random(in: .min ... .max, using: &generator)
                guard let order = Order(encoded: damaged) else { continue }
                #expect(order.encoded() == damaged, "seed \(seed), byte \(place)")
                _ = order.summary
            }
        }
    }

    @Test(arguments: 0..<10)
    func `an order is paid only where a notification said so`(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var generator = SeededGenerator(seed: 5_000_000 + seed)
            let notifications = generator.notifications()
            let order = notifications.reduce(Order()) { $0.applying($1) }
            let isReported = notifications.contains {
                switch $0.effect {
                case .attempt(.paid, _), .capture(_, .succeeded, _): true
                default: false
                }
            }
            let isPaid = [.paid, .partiallyRefunded, .refunded].contains(order.status)
            #expect(isReported || !isPaid, "seed \(seed)")
        }
    }

    /// Returns the ledger after the notifications, with the expectation registered before the one
    /// at `place`.
    private func ledger(
        _ notifications: [Notification], expectation: Registration?, at place: Int,
        usesEncoding: Bool = false
    ) -> Ledger {
        var ledger = Ledger(usesEncoding: usesEncoding)
        for (index, notification) in notifications.enumerated() {
            if index == place, let expectation { ledger.register(expectation, reference: "R1") }
            ledger.record(notification)
        }
        if place == notifications.count, let expectation {
            ledger.register(expectation, reference: "R1")
        }
        return ledger
    }

    private let unjoined = attempt(.pending, nil, transaction: "T1")

    private func randomOrder(
        _ generator: inout SeededGenerator, resolves: Bool = true
    ) -> Order {
        var order = generator.pick([
            Order(), Order(reference: "R1"), Order().applying(self.unjoined),
        ])
        for notification in generator.notifications() { order.apply(notification) }
        if generator.once(in: 4) { order = order.markingConflict() }
        if generator.once(in: 3) {
            let expires = generator.once(in: 2) ? Timestamp(microseconds: -5) : nil
            let amount = money(generator.pick([-7, 50, 100, .min, .max]))
            order = order.registering(Registration(amount: amount, expires: expires))
        }
        if resolves, generator.once(in: 3) {
            let sums = generator.once(in: 2) ? money(50) : nil
            order = order.resolving(
                Resolution(
                    sequence: UInt64.random(in: 1 ... .max, using: &generator),
                    settlement: Settlement(status: .paid, captured: sums, refunded: sums),
                    basis: order.factDigest, by: "admin", resolved: Timestamp(microseconds: -5),
                    reason: "why"))
        }
        return order
    }
}
