import Payments
import Testing

@Suite struct AttemptTests {
    @Test(arguments: AttemptStatus.allCases, AttemptStatus.allCases)
    func `of two reports the higher status stands, whichever came first`(
        first: AttemptStatus, second: AttemptStatus
    ) throws {
        let attempts = order(attempt(first), attempt(second)).attempts
        #expect(attempts.count == 1)
        #expect(attempts.first?.status == max(first, second))
    }

    @Test(arguments: AttemptStatus.allCases)
    func `only a failure contradicts a payment`(status: AttemptStatus) {
        let flags = order(attempt(.paid), attempt(status)).flags
        #expect(flags == (status == .failed ? [.contradicted] : []))
    }

    @Test(arguments: AttemptStatus.allCases)
    func `a successful capture makes any attempt paid`(status: AttemptStatus) {
        let order = order(attempt(status), capture())
        #expect(order.status == .paid)
        #expect(order.flags == (status == .failed ? [.contradicted] : []))
    }

    @Test(arguments: [.pending, .failed] as [ActionStatus])
    func `a capture without success changes nothing`(status: ActionStatus) {
        let order = order(attempt(.authorized), capture("C", status))
        #expect(order.status == .authorized)
        #expect(order.attempts.first?.captures.map(\.status) == [status])
    }

    @Test func `a capture that failed and succeeded is contradicted`() {
        let order = order(
            attempt(.authorized), capture("C", .failed), capture("C", .succeeded))
        #expect(order.status == .paid)
        #expect(order.flags == [.contradicted])
    }

    @Test func `row 1: the report of paid names the amount`() {
        let order = order(
            attempt(.authorized, money(120)), attempt(.paid, money(100)),
            capture("C", .succeeded, money(60)))
        #expect(order.amount == money(100))
    }

    @Test func `row 2: else the sum of the successful captures`() {
        let order = order(
            attempt(.authorized, money(120)), attempt(.paid, nil),
            capture("C1", .succeeded, money(60)), capture("C2", .succeeded, money(30)),
            capture("C3", .failed, money(7)), capture("C4", .pending, money(7)))
        #expect(order.amount == money(90))
        #expect(order.status == .paid)
    }

    @Test func `row 3: else the highest report with an amount, because one capture names none`() {
        let order = order(
            attempt(.pending, money(130)), attempt(.authorized, money(120)),
            attempt(.canceled, nil),
            capture("C1", .succeeded, nil), capture("C2", .succeeded, money(60)))
        #expect(order.amount == money(120))
    }

    @Test func `row 3: a paid attempt without an amount has the one that was authorised`() {
        let order = order(attempt(.authorized, money(120)), attempt(.paid, nil))
        #expect(order.amount == money(120))
        #expect(order.status == .paid)
    }

    @Test func `row 4: else the captures that name an amount`() {
        let order = order(
            attempt(.authorized, nil), capture("C1", .succeeded, nil),
            capture("C2", .succeeded, money(60)))
        #expect(order.amount == money(60))
    }

    @Test func `a payment of unknown amount says so`() {
        let order = order(attempt(.paid, nil))
        #expect(order.status == .paid)
        #expect(order.amount == nil)
        #expect(order.refunded == nil)
        #expect(order.flags == [.amountUnknown])
    }

    @Test func `of several amounts for one status the greatest counts`() {
        let order = order(
            attempt(.paid, money(90)), attempt(.paid, money(100)),
            attempt(.paid, money(95)))
        #expect(order.amount == money(100))
        #expect(order.flags == [.amountsDiffer])
        #expect(order.status == .paid)
    }

    @Test func `the sum of captures stops at the end of the numbers`() {
        let order = order(
            capture("C1", .succeeded, money(.max)), capture("C2", .succeeded, money(.max)))
        #expect(order.amount == money(.max))
    }
}
