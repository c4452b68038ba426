import Payments
import Testing

@Suite struct OrderExpectationTests {
    /// Citcon UPI reports on the charge that it was captured in part.
    @Test func `a charge that is captured in part is no contradiction`() {
        var part = attempt(.paid, money(60))
        part.flags = [.partiallyCaptured]
        let reported = order(part).registering(Registration(amount: money(100)))
        #expect(reported.status == .paid && reported.flags == [.partiallyCaptured])
        #expect(reported.registering(Registration(amount: money(50))).status == .review)
        let whole = order(attempt(.paid, money(60))).registering(Registration(amount: money(100)))
        #expect(whole.status == .review)
    }

    private let expectation = Registration(amount: money(100))

    @Test(arguments: [
        [attempt(.paid)], [attempt(.pending), attempt(.authorized), attempt(.paid)],
        [attempt(.paid, nil)], [attempt(.authorized), capture()],
        [
            attempt(.authorized), capture("C1", .succeeded, money(60)),
            capture("C2", .succeeded, money(40)),
        ],
        [attempt(.paid, transaction: "T1"), attempt(.paid, transaction: "T2")],
        [attempt(.paid), refund("F", .failed, money(7))],
        [attempt(.pending, money(99)), attempt(.paid)],
        [attempt(.failed, money(99), transaction: "T1"), attempt(.paid)],
        [attempt(.failed, money(99, "EUR"), transaction: "T1"), attempt(.paid)],
        [attempt(.authorized, money(120)), capture()],
        [attempt(.authorized, money(99), transaction: "T1"), attempt(.paid)],
    ])
    func `what was registered is paid`(notifications: [Notification]) {
        for order in bothWays(notifications) {
            #expect(order.status == .paid)
            #expect(!order.flags.contains(.amountUnexpected))
        }
    }

    @Test(arguments: [
        [attempt(.paid, money(99))], [attempt(.paid, money(101))],
        [attempt(.paid, money(100, "EUR"))], [attempt(.authorized, money(99))],
        [attempt(.authorized, money(100, "EUR"))],
        [attempt(.paid, money(99)), attempt(.paid)],
        [attempt(.authorized, money(99)), capture("C", .succeeded, money(60))],
        [attempt(.authorized), capture("C", .succeeded, money(60, "EUR"))],
        [attempt(.authorized), raise(.increase, money(1))],
        [attempt(.authorized), capture("C", .succeeded, money(101))],
        [attempt(.paid, transaction: "T1"), attempt(.paid, money(1), transaction: "T2")],
        [attempt(.paid, money(99)), dispute(.lost)],
    ])
    func `another amount or currency is unexpected and review whichever came first`(
        notifications: [Notification]
    ) {
        for order in bothWays(notifications) {
            #expect(order.status == .review)
            #expect(order.flags.contains(.amountUnexpected))
            #expect(!order.flags.contains(.conflict))
            #expect(order.contradictsExpectation)
        }
    }

    /// Pending and failed attempts moved no money.
    @Test(arguments: [AttemptStatus.pending, .failed, .canceled, .expired])
    func `the amount of a try contradicts nothing`(status: AttemptStatus) {
        for amount in [money(99), money(100, "EUR")] {
            for order in bothWays([attempt(status, amount)]) {
                #expect(order.status.rawValue == status.name && order.flags.isEmpty)
            }
        }
        // Both tries have one id: contradicted, and only the paid amount is compared.
        guard status != .pending else { return }
        for order in bothWays([attempt(status, money(99, "EUR")), attempt(.paid)]) {
            #expect(order.status == .paid && order.flags == [.contradicted])
        }
    }

    @Test func `a first partial capture is a part`() {
        for earlier in [[attempt(.authorized)], []] {
            for order in bothWays(earlier + [capture("C", .succeeded, money(60))]) {
                #expect(order.status == .paid && order.flags == [.partiallyCaptured])
                let whole = order.applying(capture("D", .succeeded, money(40)))
                #expect(whole.status == .paid && whole.flags.isEmpty)
                let more = whole.applying(capture("E", .succeeded, money(1)))
                #expect(more.status == .review && more.flags.contains(.amountUnexpected))
            }
        }
    }

    @Test func `the last registration counts`() {
        let order = order(attempt(.paid)).registering(Registration(amount: money(1)))
        #expect(order.status == .review)
        #expect(order.registering(expectation).status == .paid)
    }

    @Test func `the same identity with other content puts the order into review`() {
        let order = order(attempt(.paid)).markingConflict()
        #expect(order.status == .review)
        #expect(order.flags == [.conflict])
        #expect(order.registering(expectation).status == .review)
    }

    @Test func `merging keeps one of two registrations whichever stands first`() {
        let early = Registration(amount: money(100), expires: Timestamp(microseconds: 1))
        let late = Registration(amount: money(100), expires: Timestamp(microseconds: 2))
        let registrations = [Registration(amount: money(99)), expectation, early, late]
        #expect(registrations.reversed().sorted() == registrations)
        for (place, lesser) in registrations.enumerated() {
            for greater in registrations[place...] {
                let first = Order(reference: "R").registering(lesser)
                let second = Order(reference: "R").registering(greater)
                #expect(first.merging(second).expected == lesser)
                #expect(second.merging(first).expected == lesser)
            }
        }
    }

    /// Returns the order with the registration before and after the notifications.
    private func bothWays(_ notifications: [Notification]) -> [Order] {
        let before = notifications.reduce(Order(reference: "R").registering(expectation)) {
            $0.applying($1)
        }
        let behind = notifications.reversed().reduce(Order(reference: "R")) { $0.applying($1) }
        return [before, behind.registering(expectation)]
    }
}
