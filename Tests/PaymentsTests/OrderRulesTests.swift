import Payments
import Testing

@Suite struct OrderRulesTests {
    @Test func `an order of which nothing is known is pending`() {
        let summary = Order(reference: "R").summary
        #expect(summary.status == .pending)
        #expect(summary.amount == nil && summary.refunded == nil && summary.flags.isEmpty)
    }

    @Test(
        arguments: [
            (.pending, .pending), (.authorized, .authorized), (.expired, .expired),
            (.canceled, .canceled), (.failed, .failed), (.tryFailed, .failed), (.paid, .paid),
        ] as [(AttemptStatus, OrderStatus)])
    func `one attempt decides the order`(status: AttemptStatus, expected: OrderStatus) {
        let order = order(attempt(status))
        #expect(order.status == expected)
        #expect(order.amount == money(100))
        #expect(order.refunded == money(0))
        #expect(order.flags.isEmpty)
    }

    @Test(
        arguments: [
            (.paid, .authorized, .paid), (.paid, .pending, .paid), (.paid, .failed, .paid),
            (.authorized, .pending, .authorized), (.authorized, .failed, .authorized),
            (.pending, .failed, .pending), (.pending, .canceled, .pending),
            (.pending, .expired, .pending), (.failed, .canceled, .failed),
            (.failed, .expired, .failed), (.canceled, .expired, .canceled),
        ] as [(AttemptStatus, AttemptStatus, OrderStatus)])
    func `of two attempts the better decides`(
        first: AttemptStatus, second: AttemptStatus, expected: OrderStatus
    ) {
        let order = order(
            attempt(first, money(100), transaction: "T1"),
            attempt(second, money(999), transaction: "T2"))
        #expect(order.status == expected)
        #expect(order.amount == money(100))
        #expect(order.flags.isEmpty)
        #expect(order.attempts.map(\.transaction) == ["T1", "T2"])
    }

    /// docs.stripe.com: a PaymentIntent whose payment failed can be paid by another try.
    @Test(
        arguments: [
            (.pending, .failed), (.authorized, .authorized), (.paid, .paid),
            (.canceled, .canceled), (.expired, .expired), (.failed, .failed),
        ] as [(AttemptStatus, OrderStatus)])
    func `a failed try contradicts nothing that the same attempt comes to`(
        other: AttemptStatus, expected: OrderStatus
    ) {
        let reports = [
            attempt(.tryFailed, money(999, "EUR"), transaction: "T"),
            attempt(other, money(100), transaction: "T"),
        ]
        for order in [order(reports[0], reports[1]), order(reports[1], reports[0])] {
            #expect(order.status == expected)
            #expect(order.attempts.count == 1)
            if expected == .paid || expected == .authorized {
                #expect(order.amount == money(100))
                #expect(order.flags.isEmpty)
            }
        }
    }

    @Test func `two paid attempts are flagged and added`() {
        let order = order(
            attempt(.paid, transaction: "T1"), attempt(.paid, transaction: "T2"),
            refund("F", .succeeded, money(100), transaction: "T2"))
        #expect(order.status == .partiallyRefunded)
        #expect(order.amount == money(200))
        #expect(order.flags == [.paidTwice])
    }

    @Test func `what names no transaction is not a second payment`() {
        let order = order(
            attempt(.paid, transaction: nil), attempt(.paid, transaction: "T1"))
        #expect(order.status == .paid)
        #expect(order.amount == money(100))
        #expect(order.flags.isEmpty)
        #expect(order.attempts.map(\.transaction) == ["", "T1"])
    }

    @Test func `what names no transaction counts while nothing else is paid`() {
        let order = order(
            attempt(.paid, transaction: nil), attempt(.failed, money(7), transaction: "T1"))
        #expect(order.status == .paid)
        #expect(order.amount == money(100))
    }

    @Test(
        arguments: [
            ([30], .partiallyRefunded, 30, []), ([30, 70], .refunded, 100, []),
            ([100], .refunded, 100, []), ([30, 71], .review, 101, [.overRefunded]),
            ([0], .paid, 0, []), ([.max, .max], .review, .max, [.overRefunded, .invalidAmount]),
        ] as [([Int64], OrderStatus, Int64, [Flag])])
    func `refunds are added up`(
        amounts: [Int64], status: OrderStatus, sum: Int64, flags: [Flag]
    ) {
        var order = order(attempt(.paid))
        for (number, amount) in amounts.enumerated() {
            // The same refund reported twice counts once.
            order.apply(refund("F\(number)", .succeeded, money(amount)))
            order.apply(refund("F\(number)", .succeeded, money(amount)))
        }
        #expect(order.status == status)
        #expect(order.refunded == money(sum))
        #expect(order.flags == flags)
    }

    @Test(arguments: [.pending, .failed] as [ActionStatus])
    func `a refund without success changes nothing but stays listed`(status: ActionStatus) {
        let order = order(attempt(.paid), refund("F", status))
        #expect(order.status == .paid)
        #expect(order.refunded == money(0))
        #expect(order.refunds.map(\.status) == [status])
        #expect(order.refunds.first?.amount == money(100))
        #expect(order.flags.isEmpty)
    }

    @Test func `a failed refund in another currency changes nothing either`() {
        let order = order(attempt(.paid), refund("F", .failed, money(1, "EUR")))
        #expect(order.status == .paid)
        #expect(order.flags.isEmpty)
    }

    @Test func `a refund that failed and succeeded counts and is contradicted`() {
        let order = order(attempt(.paid), refund("F", .failed), refund("F", .succeeded))
        #expect(order.status == .refunded)
        #expect(order.flags == [.contradicted])
    }

    @Test func `a refund of unknown amount is a part`() {
        let order = order(attempt(.paid), refund("F", .succeeded, nil))
        #expect(order.status == .partiallyRefunded)
        #expect(order.refunded == money(0))
        #expect(order.flags == [.amountUnknown])
    }

    @Test func `a refund of an order that nobody has paid is more than was paid`() {
        for status in AttemptStatus.allCases where status != .paid {
            let order = order(attempt(status), refund())
            #expect(order.status == .review)
            #expect(order.flags.filter { $0 != .unconfirmed } == [.overRefunded])
        }
        #expect(order(refund()).status == .review)
        #expect(order(refund(), attempt(.paid)).status == .refunded)
    }

    @Test(
        arguments: [
            ([.open], .disputed, []), ([.open, .lost], .chargedBack, []),
            ([.open, .won], .paid, []),
            ([.open, .closed], .paid, []), ([.won, .lost], .chargedBack, [.contradicted]),
            ([.lost], .chargedBack, []),
        ] as [([DisputeStatus], OrderStatus, [Flag])])
    func `a dispute stands over the payment until it is settled`(
        statuses: [DisputeStatus], status: OrderStatus, flags: [Flag]
    ) {
        var order = order(attempt(.paid))
        for status in statuses { order.apply(dispute(status)) }
        #expect(order.status == status)
        #expect(order.flags == flags)
    }

    @Test func `a settled dispute leaves a refunded order refunded`() {
        #expect(order(attempt(.paid), refund(), dispute(.open)).status == .disputed)
        #expect(order(attempt(.paid), refund(), dispute(.won)).status == .refunded)
        #expect(
            order(attempt(.paid), dispute(.won), dispute(.open, id: "D2")).status == .disputed)
    }

    @Test func `a dispute in the currency of settlement is no mismatch`() {
        let order = order(attempt(.paid), dispute(.open, money(7, "EUR")))
        #expect(order.status == .disputed)
        #expect(order.flags.isEmpty)
    }

    @Test(arguments: [
        [attempt(.paid), refund("F", .succeeded, money(1, "EUR"))],
        [attempt(.paid), refund("F", .pending, money(1, "EUR"))],
        [attempt(.authorized), capture("C", .succeeded, money(100, "EUR"))],
        [capture("C1"), capture("C2", .succeeded, money(100, "EUR"))],
        [attempt(.authorized), attempt(.paid, money(100, "EUR"))],
        [attempt(.paid), attempt(.paid, money(100, "EUR"))],
        [attempt(.paid), attempt(.paid, money(100, "EUR"), transaction: "T2")],
    ])
    func `one payment told in two currencies is for a human`(notifications: [Notification]) {
        for sequence in [notifications, notifications.reversed()] {
            let order = sequence.reduce(Order(reference: "R")) { $0.applying($1) }
            #expect(order.status == .review)
            #expect(order.flags.contains(.currencyMismatch))
        }
    }

    @Test(arguments: [AttemptStatus.tryFailed, .expired, .canceled, .failed])
    func `another attempt in another currency is the customer's choice`(other: AttemptStatus) {
        let order = order(
            attempt(other, money(7, "EUR"), transaction: "T1"), attempt(.paid, transaction: "T2"))
        #expect(order.status == .paid)
        #expect(order.flags.isEmpty)
    }

    @Test func `an amount below zero is set aside and for a human`() {
        let order = order(attempt(.paid, money(-100)))
        #expect(order.status == .review)
        #expect(order.amount == nil)
        #expect(order.flags == [.invalidAmount, .amountUnknown])
    }

    @Test func `a notification without effect adds its flags and nothing else`() {
        let before = order(attempt(.pending))
        let after = before.applying(
            notification(.none, transaction: "T9", flags: [.unknownStatus]))
        #expect(after.status == .pending)
        #expect(after.flags == [.unknownStatus])
        #expect(after.attempts == before.attempts)
    }

    @Test func `an event under a transaction only is visible as unjoined`() {
        let early = Order().applying(
            notification(.refund(id: "F", .succeeded, money(40)), reference: nil))
        #expect(early.reference == nil)
        #expect(early.holds("T"))
        #expect(early.flags == [.overRefunded, .unjoined])
        #expect(early.status == .review)

        let joined = order(attempt(.paid)).merging(early)
        #expect(joined == order(attempt(.paid), refund("F", .succeeded, money(40))))
        #expect(joined.status == .partiallyRefunded)
        #expect(joined.flags.isEmpty)
    }

    @Test func `a payment that names both joins in place too`() {
        let early = Order().applying(
            notification(.dispute(id: "D", .open, nil), reference: nil))
        let joined = early.applying(attempt(.paid))
        #expect(joined.reference == "R")
        #expect(joined.status == .disputed)
        #expect(joined.flags.isEmpty)
    }

    /// No false sum is shown if it does not fit in 64 bits.
    @Test func `a sum too large is in review`() {
        let most = money(.max - 1)
        let taken = order(attempt(.paid, most), attempt(.paid, most, transaction: "U"))
        #expect(taken.status == .review)
        #expect(taken.flags.contains(.invalidAmount))
        let given = order(
            attempt(.paid, most), refund("F", .succeeded, most), refund("G", .succeeded, most))
        #expect(given.flags.contains(.invalidAmount))
        #expect(!order(attempt(.paid, most)).flags.contains(.invalidAmount))
    }
}
