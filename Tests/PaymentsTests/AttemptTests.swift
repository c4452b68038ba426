import Payments
import Testing

@Suite struct AttemptTests {
    @Test(arguments: AttemptStatus.allCases, AttemptStatus.allCases)
    func `of two reports the higher status stands whichever came first`(
        first: AttemptStatus, second: AttemptStatus
    ) throws {
        let attempts = order(attempt(first), attempt(second)).attempts
        #expect(attempts.count == 1)
        let both = Set([first, second])
        let isRetried = both == [.authorized, .failed] || both == [.authorized, .expired]
        let highest = isRetried ? .authorized : max(first, second)
        let counted: [AttemptStatus: AttemptStatus] = [.tryFailed: .failed, .unconfirmed: .pending]
        #expect(attempts.first?.status == counted[highest] ?? highest)
    }

    @Test(arguments: [AttemptStatus.paid, .authorized], AttemptStatus.allCases)
    func `what came to nothing contradicts what succeeded`(
        success: AttemptStatus, status: AttemptStatus
    ) {
        let order = order(attempt(success), attempt(status))
        #expect(order.flags == (status.isUnpaidEnd && status != .tryFailed ? [.contradicted] : []))
        // An authorised attempt that was canceled was nearly always released.
        let isReleased = success == .authorized && status == .canceled
        let expected = isReleased ? .canceled : status == .paid ? .paid : success
        #expect(order.status.rawValue == expected.name)
    }

    @Test func `the amount of a try that failed is not what was authorised`() {
        let order = order(attempt(.failed, money(7, "USD")), attempt(.authorized))
        #expect(order.status == .authorized && order.amount == money(100))
        #expect(order.flags == [.contradicted])
        #expect(order.summary.authorized == money(100))
    }

    /// A cancellation that a reversal also reports is not a contradiction.
    @Test(arguments: [nil, 100] as [Int64?])
    func `a reversal explains a cancellation`(amount: Int64?) {
        let undo = notification(
            .reversal(.operation, id: "V", .succeeded, amount.map { money($0) }))
        let refunded = order(attempt(.paid), attempt(.canceled), undo)
        #expect(refunded.status == .refunded && refunded.flags.isEmpty)
        #expect(refunded.refunded == money(100))
        let released = order(attempt(.authorized), attempt(.canceled), undo)
        #expect(released.status == .canceled && released.flags.isEmpty)
        let part = order(
            attempt(.paid), attempt(.canceled),
            notification(.reversal(.operation, id: "V", .succeeded, money(40))))
        #expect(part.status == .partiallyRefunded && part.flags == [.contradicted])
    }

    @Test(arguments: AttemptStatus.allCases.filter { $0 != .unconfirmed })
    func `a successful capture makes any attempt paid`(status: AttemptStatus) {
        let order = order(attempt(status), capture())
        #expect(order.status == .paid)
        #expect(order.flags == (status.isUnpaidEnd && status != .tryFailed ? [.contradicted] : []))
    }

    @Test(arguments: [.pending, .failed] as [ActionStatus])
    func `without a successful capture nothing is taken`(status: ActionStatus) {
        for reported in [AttemptStatus.authorized, .paid] {
            let order = order(attempt(reported), capture("C", status))
            #expect(order.status == .authorized)
            #expect(order.summary.captured == money(0))
            #expect(order.summary.authorized == money(100))
            #expect(order.flags == (status == .failed ? [.captureFailed] : []))
            #expect(order.attempts.first?.captures.map(\.status) == [status])
        }
    }

    @Test func `a capture that failed and succeeded is contradicted`() {
        let order = order(
            attempt(.authorized), capture("C", .failed), capture("C", .succeeded))
        #expect(order.status == .paid)
        #expect(order.flags == [.contradicted])
    }

    @Test func `row 1 captures outrank the report of paid and a part says so`() {
        let order = order(
            attempt(.authorized, money(120)), attempt(.paid, money(100)),
            capture("C1", .succeeded, money(60)), capture("C2", .succeeded, money(30)),
            capture("C3", .failed, money(7)), capture("C4", .pending, money(7)))
        #expect(order.amount == money(90))
        #expect(order.status == .paid)
        #expect(order.summary.authorized == money(120))
        #expect(order.flags == [.partiallyCaptured])
    }

    @Test func `row 1 everything that was authorised is no part`() {
        let order = order(
            attempt(.authorized, money(90)), capture("C1", .succeeded, money(60)),
            capture("C2", .succeeded, money(30)))
        #expect(order.amount == money(90) && order.flags.isEmpty)
    }

    @Test func `row 2 else the highest report with an amount because one capture names none`() {
        let order = order(
            attempt(.pending, money(130)), attempt(.authorized, money(120)),
            attempt(.canceled, nil),
            capture("C1", .succeeded, nil), capture("C2", .succeeded, money(60)))
        #expect(order.amount == money(120))
    }

    @Test func `row 3 a paid attempt without an amount has the one that was authorised`() {
        let order = order(attempt(.authorized, money(120)), attempt(.paid, nil))
        #expect(order.amount == money(120))
        #expect(order.status == .paid)
    }

    @Test func `row 2 else the captures that name an amount`() {
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

    @Test func `of several amounts for what was paid the least counts and a person must look`() {
        let order = order(
            attempt(.paid, money(90)), attempt(.paid, money(100)),
            attempt(.paid, money(95)))
        #expect(order.amount == money(90))
        #expect(order.summary.claims == [money(90), money(95), money(100)])
        #expect(order.flags == [.amountsDiffer])
        #expect(order.status == .review)
    }

    @Test func `several amounts for what is only pending are no reason for a person`() {
        let order = order(attempt(.pending, money(90)), attempt(.pending, money(100)))
        #expect(order.flags == [.amountsDiffer] && order.status == .pending)
    }

    @Test func `a capture without its payment's id counts once and beside those that have it`() {
        let nameless = capture("C1", .succeeded, money(60), transaction: nil)
        #expect(order(nameless, capture("C1", .succeeded, money(60))).amount == money(60))
        let both = order(nameless, capture("C2", .succeeded, money(30)))
        #expect(both.amount == money(90) && both.flags.isEmpty)
    }

    @Test func `why it failed stands in the attempt and the order whoever came first`() {
        var first = attempt(.failed)
        first.reason = Reason(code: "B", message: "b")
        var second = attempt(.failed)
        second.reason = Reason(code: "A", message: "a")
        #expect(order(first, second).summary.reason == second.reason)
        #expect(order(first, attempt(.paid)).summary.reason == nil)
        #expect(Reason(code: nil, message: "") == nil)
        let long = Reason(code: String(repeating: "é", count: 200), message: nil)
        #expect(long?.code.utf8.count == Reason.codeBytesMax)
    }

    @Test func `the sum of captures stops at the end of the numbers`() {
        let order = order(
            capture("C1", .succeeded, money(.max)), capture("C2", .succeeded, money(.max)))
        #expect(order.amount == money(.max))
    }
}
