import Testing

@testable import Payments

@Suite struct OrderApplyingTests {
    @Test func `attempt a report to the attempt with that transaction`() {
        let order = Order().applying(attempt(.paid))
        #expect(order.reference == "R")
        #expect(order.attempts.map(\.transaction) == ["T"])
        #expect(order.attempts.first?.reports == Reports(.paid, money(100)))
        #expect(order.refunds.isEmpty && order.disputes.isEmpty)
    }

    @Test func `capture a report to the capture of that attempt`() {
        let order = Order().applying(capture())
        #expect(order.attempts.first?.status == .paid)
        #expect(order.attempts.first?.reports.isEmpty == true)
        #expect(order.attempts.first?.captures.map(\.id) == ["C"])
    }

    @Test func `refund and dispute a report and its transaction which leads here`() {
        let order = Order().applying(refund()).applying(dispute(.open))
        #expect(order.attempts.isEmpty)
        #expect(order.refunds.map(\.transaction) == ["T"])
        #expect(order.disputes.map(\.transaction) == ["T"])
        #expect(["T", "F", "D"].allSatisfy(order.holds))
        #expect(!order.holds("T2"))
    }

    @Test func `doubt nothing but the id and the flags`() {
        let order = Order().applying(notification(.doubt, flags: [.unsignedClaim]))
        #expect(order.attempts.isEmpty && order.holds("T"))
        #expect(order.status == .review && order.amount == nil)
    }

    @Test(
        arguments: [
            .conflict, .invalidAmount, .unsignedClaim, .unverifiedChargeback, .notUnderstood,
        ] as [Flag])
    func `a paid order with one of these flags is for a person`(flag: Flag) {
        let order = order(attempt(.paid), notification(.doubt, flags: [flag]))
        #expect(order.status == .review && order.flags == [flag] && order.amount == money(100))
    }

    @Test func `a refund without a transaction gets it from a later notification`() {
        let order = order(refund("F", .pending, transaction: nil), refund("F", .succeeded))
        #expect(order.refunds.map(\.transaction) == ["T"])
        #expect(order.refunds.first?.status == .succeeded)
    }

    @Test func `a refund of two transactions names the lesser and both are known`() {
        let order = order(refund(transaction: "T1"), refund(transaction: "T2"))
        #expect(order.refunds.map(\.transaction) == ["T1"])
        #expect(order.holds("T1") && order.holds("T2"))
    }

    @Test func `two payments under two references are a conflict under the lesser`() {
        var other = attempt(.paid)
        other.reference = "A"
        let order = Order(reference: "R").applying(other)
        #expect(order.reference == "A" && order.aliases == ["R"])
        #expect(order.status == .review && order.flags == [.conflict])
    }

    @Test func `a payment's reference stands above an operations and an alias is none`() {
        var early = refund(transaction: "T")
        early.reference = "A"
        var alias = dispute(.won)
        alias.reference = nil
        alias.alias = "0"
        #expect(Order().applying(early).reference == "A")
        #expect(Order().applying(alias).reference == nil)
        let order = order(early, alias, attempt(.paid))
        #expect(order.reference == "R" && order.aliases == ["0", "A"])
        #expect(order.isKnown(as: "A") && !order.isKnown(as: "0"))
        #expect(order.isKnown(as: "0", role: .alias))
        #expect(order.flags.isEmpty)
    }

    @Test func `beyond the limit of facts nothing is added but a flag`() {
        var order = Order()
        for number in 0..<40 {
            order.apply(refund("F\(number)"), factsMax: 32)
        }
        #expect(order.factCount <= 32 && order.factCount > 26)
        #expect(order.status == .review && order.flags.contains(.tooManyEvents))
        // A full order shows no sums, because they would be incomplete.
        #expect(order.isFull && order.amount == nil && order.refunded == nil)
    }

    @Test func `ids that only Unicode takes for equal are two`() {
        let order = order(
            attempt(.paid, transaction: "caf\u{e9}"), attempt(.paid, transaction: "cafe\u{301}"))
        #expect(order.attempts.count == 2)
        #expect(order.flags == [.paidTwice])
    }

    @Test func `attempts stand in the order of their bytes`() {
        let names = ["", "A", "AA", "B", "\u{e9}", "\u{1F600}"]
        var order = Order()
        for name in names.reversed() { order.apply(attempt(.pending, transaction: name)) }
        #expect(order.attempts.map(\.transaction) == names)
    }

    /// Rare facts are in memory of their own, which is not given back when they are removed.
    @Test func `an order that once had a mention equals one that never had`() {
        let order = Order().applying(attempt(.paid))
        var emptied = order
        emptied.mentions = [Order.Mention(id: "M")]
        #expect(emptied != order)
        emptied.mentions = []
        #expect(emptied.hasRareFacts && !order.hasRareFacts)
        #expect(emptied == order)
        #expect(emptied.encoded() == order.encoded())
        #expect(emptied.leastID == "T" && emptied.factCount == order.factCount)
        #expect(emptied.merging(order) == order && order.merging(emptied) == order)
    }
}
