import Testing

@testable import Payments

@Suite struct OrderApplyingTests {
    @Test func `attempt: a report to the attempt with that transaction`() {
        let order = Order().applying(attempt(.paid))
        #expect(order.reference == "R")
        #expect(order.attempts.map(\.transaction) == ["T"])
        #expect(order.attempts.first?.reports == Reports(.paid, money(100)))
        #expect(order.refunds.isEmpty && order.disputes.isEmpty)
    }

    @Test func `capture: a report to the capture of that attempt`() {
        let order = Order().applying(capture())
        #expect(order.attempts.first?.status == .paid)
        #expect(order.attempts.first?.reports.isEmpty == true)
        #expect(order.attempts.first?.captures.map(\.id) == ["C"])
    }

    @Test func `refund and dispute: a report, its transaction, and the attempt of that name`() {
        let order = Order().applying(refund()).applying(dispute(.open))
        #expect(order.attempts == [Attempt(transaction: "T")])
        #expect(order.refunds.map(\.transaction) == ["T"])
        #expect(order.disputes.map(\.transaction) == ["T"])
        #expect(order.attempts.first?.status == nil)
    }

    @Test func `a refund without a transaction gets it from a later notification`() {
        let order = order(refund("F", .pending, transaction: nil), refund("F", .succeeded))
        #expect(order.refunds.map(\.transaction) == ["T"])
        #expect(order.refunds.first?.status == .succeeded)
    }

    @Test func `a refund of two transactions names the lesser, and both are known`() {
        let order = order(refund(transaction: "T1"), refund(transaction: "T2"))
        #expect(order.refunds.map(\.transaction) == ["T1"])
        #expect(order.transactions == ["T1", "T2"])
    }

    @Test func `the reference of an order never changes`() {
        var other = attempt(.paid)
        other.reference = "A"
        #expect(Order(reference: "R").applying(other).reference == "R")
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
}
