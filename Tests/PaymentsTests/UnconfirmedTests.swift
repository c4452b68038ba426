import Payments
import TestSupport
import Testing

/// Successes that no proof confirms yet.
@Suite struct UnconfirmedTests {
    private func unconfirmed(_ notification: Notification) -> Notification {
        var notification = notification
        notification.flags.append(.unconfirmed)
        return notification
    }

    /// The order after the notifications, which every order of arrival and repetitions give.
    private func settled(_ told: Notification...) -> OrderSummary {
        var generator = SeededGenerator(seed: 1)
        let first = told.reduce(Order(reference: "R")) { $0.applying($1) }
        for _ in 0..<20 {
            var shuffled = told + told.prefix(Int.random(in: 0...told.count, using: &generator))
            shuffled.shuffle(using: &generator)
            #expect(shuffled.reduce(Order(reference: "R")) { $0.applying($1) } == first)
        }
        #expect(Order(encoded: first.encoded()) == first)
        return first.summary
    }

    @Test(arguments: [AttemptStatus.paid, .authorized])
    func `an unconfirmed success is pending`(_ status: AttemptStatus) {
        let summary = settled(unconfirmed(attempt(status)))
        #expect(summary.status == .pending && summary.flags == [.unconfirmed])
        #expect(summary.captured == money(0) && summary.authorized == nil)
        #expect(summary.amount == money(100))
    }

    @Test(arguments: [AttemptStatus.paid, .authorized])
    func `a confirmed report of the same counts`(_ status: AttemptStatus) {
        let summary = settled(unconfirmed(attempt(status)), attempt(status))
        #expect(summary.status.rawValue == status.name && summary.flags.isEmpty)
        #expect(summary.amount == money(100))
    }

    @Test(arguments: [90, 110] as [Int64])
    func `the confirmed sum leads, and another one is flagged`(_ other: Int64) {
        let summary = settled(unconfirmed(attempt(.paid, money(other))), attempt(.paid))
        #expect(summary.status == .paid && summary.captured == money(100))
        #expect(summary.flags == [.amountsDiffer])
        #expect(summary.claims == [money(100), money(other)].sorted())
    }

    @Test func `a confirmed payment does not confirm another one`() {
        let summary = settled(
            unconfirmed(attempt(.paid, money(500), transaction: "T-2")), attempt(.paid))
        #expect(summary.status == .paid && summary.captured == money(100))
        #expect(summary.flags == [.unconfirmed])
    }

    @Test func `a pending attempt beside a confirmed one is not unconfirmed`() {
        let summary = settled(
            attempt(.pending, transaction: "O"), unconfirmed(attempt(.paid)), attempt(.paid))
        #expect(summary.status == .paid && summary.flags.isEmpty)
    }

    @Test func `an unconfirmed capture leaves the authorisation`() {
        let held = settled(attempt(.authorized), unconfirmed(capture("C", .succeeded, money(40))))
        #expect(held.status == .authorized && held.flags == [.unconfirmed])
        #expect(held.captured == money(0))
        let taken = settled(
            attempt(.authorized), unconfirmed(capture("C", .succeeded, money(40))),
            capture("C", .succeeded, money(30)))
        #expect(taken.status == .paid && taken.captured == money(30))
        #expect(taken.flags == [.amountsDiffer, .partiallyCaptured])
        #expect(taken.claims == [money(30), money(40)])
    }

    /// Otherwise an invented reference of the authorisation would count.
    @Test func `a confirmed capture of an unconfirmed authorisation waits for it`() {
        let summary = settled(unconfirmed(attempt(.authorized)), capture())
        #expect(summary.status == .pending && summary.flags == [.unconfirmed])
        #expect(
            settled(unconfirmed(attempt(.authorized)), capture(), attempt(.authorized)).status
                == .paid)
    }

    @Test func `unconfirmed and failed is for a person until it is confirmed`() {
        let doubtful = settled(unconfirmed(attempt(.paid)), attempt(.failed))
        #expect(doubtful.status == .review && doubtful.flags == [.contradicted, .unconfirmed])
        let paid = settled(unconfirmed(attempt(.paid)), attempt(.failed), attempt(.paid))
        #expect(paid.status == .paid && paid.flags == [.contradicted])
    }

    @Test func `a released authorisation that nobody confirmed is canceled`() {
        let release = notification(.reversal(.authorization, id: "T", .succeeded, money(100)))
        #expect(settled(unconfirmed(attempt(.authorized)), release).status == .canceled)
    }

    @Test func `refunds, failures and disputes count at once`() {
        #expect(settled(attempt(.paid), unconfirmed(refund())).status == .refunded)
        #expect(settled(attempt(.paid), unconfirmed(dispute(.open))).status == .disputed)
        #expect(settled(unconfirmed(attempt(.failed))).status == .failed)
    }

    @Test func `the amount that the merchant expects is compared with the confirmed one`() {
        let registered = Order(reference: "R")
            .registering(Registration(amount: money(100)))
        let forged = registered.applying(unconfirmed(attempt(.paid, money(900))))
        #expect(forged.status == .pending && forged.flags == [.unconfirmed])
        #expect(forged.applying(attempt(.paid)).status == .paid)
        #expect(forged.applying(attempt(.paid, money(900))).status == .review)
    }
}
