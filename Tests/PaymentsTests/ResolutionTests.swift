import TestSupport
import Testing

@testable import Payments

/// Resolutions of orders in `review`, and the effect of later facts on them.
@Suite struct ResolutionTests {
    /// An order reported as paid with 100 and with 90.
    private let doubtful = order(attempt(.paid, money(100)), attempt(.paid, money(90)))

    private func resolved(
        _ order: Order, _ proposal: SettlementProposal = .accept, sequence: UInt64 = 7
    ) throws -> Order {
        order.resolving(
            Resolution(
                sequence: sequence, settlement: try order.settlement(proposal),
                basis: order.factDigest, by: "admin", resolved: Timestamp(microseconds: 5),
                reason: "called the bank"))
    }

    @Test func `accepting takes the least claim and the status that follows`() throws {
        #expect(doubtful.status == .review)
        let summary = try resolved(doubtful).summary
        #expect(summary.status == .paid && summary.captured == money(90))
        #expect(summary.amount == money(90) && summary.refunded == money(0))
        #expect(summary.flags == [.amountsDiffer, .resolved])
        #expect(summary.claims == [money(90), money(100)], "the facts stay to be seen")
    }

    @Test func `what a person says counts as it was said`() throws {
        let order = try resolved(
            doubtful, .settle(.partiallyRefunded, captured: money(100), refunded: money(30)))
        #expect(order.status == .partiallyRefunded && order.amount == money(100))
        #expect(order.refunded == money(30))
        let lost = try resolved(doubtful, .settle(.failed, captured: money(0), refunded: nil))
        #expect(lost.status == .failed && lost.summary.captured == money(0))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let status: OrderStatus
        let captured: Money?
        let refunded: Money?
        let refusal: SettlementRefusal?
        var testDescription: String {
            "\(status) \(captured?.minor ?? -1) \(refunded?.minor ?? -1)"
        }
    }

    private static func row(
        _ status: OrderStatus, _ captured: Int64?, _ refunded: Int64?,
        _ refusal: SettlementRefusal? = nil, _ code: String = "MYR"
    ) -> Case {
        Case(
            status: status, captured: captured.map { money($0, code) },
            refunded: refunded.map { money($0, code) }, refusal: refusal)
    }

    /// Tests every row of the table at `Order.settlement(_:)`.
    @Test(arguments: [
        row(.paid, 100, 0), row(.paid, 0, 0), row(.paid, 100, 1, .statusDiffers),
        row(.paid, 101, 0, .sumsOutOfBounds), row(.paid, -1, 0, .sumsOutOfBounds),
        row(.paid, 100, 0, .currencyDiffers, "EUR"), row(.review, 100, 0, .statusDiffers),
        row(.partiallyRefunded, 100, 99), row(.partiallyRefunded, 100, 100, .statusDiffers),
        row(.partiallyRefunded, 100, 0, .statusDiffers),
        row(.refunded, 100, 100), row(.refunded, 100, 50, .statusDiffers),
        row(.refunded, 50, 100, .sumsOutOfBounds), row(.refunded, 0, 0, .statusDiffers),
        row(.chargedBack, 100, 0), row(.disputed, 100, 100),
        row(.failed, 0, 0), row(.failed, 100, 0, .statusDiffers),
        row(.authorized, 0, 0), row(.pending, 0, 0), row(.expired, 1, 0, .statusDiffers),
        row(.canceled, 0, 1, .sumsOutOfBounds),
    ])
    func `a status and sums must go together`(_ test: Case) {
        let proposal = SettlementProposal.settle(
            test.status, captured: test.captured, refunded: test.refunded)
        do throws(SettlementRefusal) {
            _ = try doubtful.settlement(proposal)
            #expect(test.refusal == nil)
        } catch {
            #expect(error == test.refusal)
        }
    }

    @Test func `what nobody knows must be said`() throws {
        let claim = RefundClaim(amount: money(1000), refunded: money(300), moment: "1")
        let other = RefundClaim(amount: money(1000), refunded: money(500), moment: "2")
        let doubt = order(
            attempt(.paid, money(1000)), notification(.unclearRefund(id: "A", .succeeded, claim)),
            notification(.unclearRefund(id: "B", .succeeded, other)))
        #expect(doubt.status == .review && !doubt.summary.candidates.isEmpty)
        #expect(throws: SettlementRefusal.sumsUnknown) { try doubt.settlement(.accept) }
        let settled = try resolved(
            doubt, .settle(.partiallyRefunded, captured: nil, refunded: money(800)))
        #expect(settled.refunded == money(800) && settled.summary.candidates.isEmpty)
        #expect(settled.summary.captured == money(1000))
    }

    @Test func `only a review can be resolved and only of an order that has everything`() {
        let paid = order(attempt(.paid))
        #expect(throws: SettlementRefusal.notInReview) { try paid.settlement(.accept) }
        var full = doubtful
        full.markFull()
        #expect(throws: SettlementRefusal.orderFull) { try full.settlement(.accept) }
    }

    @Test func `a repetition and a mere name change nothing`() throws {
        var order = try resolved(doubtful)
        order.apply(attempt(.paid, money(90)))
        order.apply(notification(.doubt, flags: [.testMode]))
        var named = refund("F", .pending, nil)
        named.effect = .doubt
        named.alias = "ALIAS"
        order.apply(named)
        #expect(order.status == .paid && order.flags.contains(.resolved))
    }

    @Test(arguments: [
        attempt(.paid, money(80)), attempt(.failed), attempt(.paid, transaction: "T2"),
        refund(), dispute(.lost), capture(), notification(.doubt, flags: [.unsignedClaim]),
        Notification(
            id: "x", kind: "payment", status: "paid", reference: "R2", transaction: "T",
            effect: .attempt(.paid, money(100))),
    ])
    func `any further fact reopens the review`(_ later: Notification) throws {
        let order = try resolved(doubtful).applying(later)
        #expect(order.status == .review)
        #expect(order.flags.contains(.reopened) && !order.flags.contains(.resolved))
        #expect(order.summary == doubtful.applying(later).summary.reopenedForTest)
        let again = try resolved(
            order, .settle(.paid, captured: money(80), refunded: money(0)), sequence: 9)
        #expect(again.status == .paid)
    }

    /// A repeated doubt is not a new fact, but overrules the resolution.
    @Test func `the same doubt once more reopens the review`() throws {
        let claimed = notification(.doubt, flags: [.unsignedClaim])
        let doubt = order(attempt(.paid), claimed)
        let order = try resolved(doubt)
        #expect(order.status == .paid)
        #expect(doubt.applying(claimed).factDigest == doubt.factDigest)
        #expect(order.applying(claimed).status == .review)
        #expect(order.markingConflict().status == .review)
        var negative = attempt(.paid, money(-1))
        negative.transaction = "T"
        let invalid = try resolved(Payments.Order().applying(negative).applying(attempt(.paid)))
        #expect(invalid.applying(negative).status == .review)
    }

    @Test func `an expectation afterwards reopens the review`() throws {
        let order = try resolved(doubtful).registering(Registration(amount: money(90)))
        #expect(order.status == .review && order.flags.contains(.reopened))
    }

    @Test func `an order that joins another has to be looked at again`() throws {
        let mine = try resolved(doubtful)
        let other = order(attempt(.paid, money(90)))
        #expect(mine.merging(other).status == .review, "the same facts, reported for another order")
        #expect(other.merging(mine).status == .review)
        #expect(mine.merging(Order(reference: "R")).status == .paid, "nothing is known of it")
        #expect(mine.merging(mine) == mine)
    }

    /// The notifications before and after the resolution are two sets; the order within each does
    /// not matter.
    @Test(arguments: 0..<20)
    func `the order of the facts on each side does not matter`(block: UInt64) throws {
        var stood = 0
        var reopened = 0
        for seed in block * 100..<(block + 1) * 100 {
            var generator = SeededGenerator(seed: 6_000_000 + seed)
            let before = generator.notifications()
            let after = generator.once(in: 3) ? before : generator.notifications()
            var outcomes: [Order] = []
            for _ in 0..<3 {
                let first = before.shuffled(using: &generator)
                var order = first.reduce(Order()) { $0.applying($1) }
                guard let done = try? resolved(order) else { break }
                order = after.shuffled(using: &generator).reduce(done) { $0.applying($1) }
                outcomes.append(order)
                #expect(Order(encoded: order.encoded()) == order, "seed \(seed)")
                if order.flags.contains(.resolved) {
                    stood += 1
                    #expect(order.factDigest == done.factDigest, "seed \(seed)")
                } else if order.flags.contains(.reopened) {
                    reopened += 1
                }
            }
            #expect(outcomes.allSatisfy { $0 == outcomes[0] }, "seed \(seed)")
        }
        #expect(reopened > 0)
        _ = stood
    }
}

extension OrderSummary {
    /// The summary has the flag of the reopening.
    fileprivate var reopenedForTest: OrderSummary { reopened() }
}
