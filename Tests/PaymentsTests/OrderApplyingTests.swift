import Testing

@testable import Payments

@Suite struct OrderApplyingTests {
    @Test func attemptAReportToTheAttemptWithThatTransaction() {
        let order = Order().applying(attempt(.paid))
        #expect(order.reference == "R")
        #expect(order.attempts.map(\.transaction) == ["T"])
        #expect(order.attempts.first?.reports == Reports(.paid, money(100)))
        #expect(order.refunds.isEmpty && order.disputes.isEmpty)
    }

    @Test func captureAReportToTheCaptureOfThatAttempt() {
        let order = Order().applying(capture())
        #expect(order.attempts.first?.status == .paid)
        #expect(order.attempts.first?.reports.isEmpty == true)
        #expect(order.attempts.first?.captures.map(\.id) == ["C"])
    }

    @Test func refundAndDisputeAReportAndItsTransactionWhichLeadsHere() {
        let order = Order().applying(refund()).applying(dispute(.open))
        #expect(order.attempts.isEmpty)
        #expect(order.refunds.map(\.transaction) == ["T"])
        #expect(order.disputes.map(\.transaction) == ["T"])
        #expect(["T", "F", "D"].allSatisfy(order.holds))
        #expect(!order.holds("T2"))
    }

    @Test func doubtNothingButTheIdAndTheFlags() {
        let order = Order().applying(notification(.doubt, flags: [.unsignedClaim]))
        #expect(order.attempts.isEmpty && order.holds("T"))
        #expect(order.status == .review && order.amount == nil)
    }

    @Test(
        arguments: [
            .conflict, .invalidAmount, .unsignedClaim, .unverifiedChargeback, .notUnderstood,
        ] as [Flag])
    func aPaidOrderWithOneOfTheseFlagsIsForAPerson(flag: Flag) {
        let order = order(attempt(.paid), notification(.doubt, flags: [flag]))
        #expect(order.status == .review && order.flags == [flag] && order.amount == money(100))
    }

    @Test func aRefundWithoutATransactionGetsItFromALaterNotification() {
        let order = order(refund("F", .pending, transaction: nil), refund("F", .succeeded))
        #expect(order.refunds.map(\.transaction) == ["T"])
        #expect(order.refunds.first?.status == .succeeded)
    }

    @Test func aRefundOfTwoTransactionsNamesTheLesserAndBothAreKnown() {
        let order = order(refund(transaction: "T1"), refund(transaction: "T2"))
        #expect(order.refunds.map(\.transaction) == ["T1"])
        #expect(order.holds("T1") && order.holds("T2"))
    }

    @Test func twoPaymentsUnderTwoReferencesAreAConflictUnderTheLesser() {
        var other = attempt(.paid)
        other.reference = "A"
        let order = Order(reference: "R").applying(other)
        #expect(order.reference == "A" && order.aliases == ["R"])
        #expect(order.status == .review && order.flags == [.conflict])
    }

    @Test func aPaymentsReferenceStandsAboveAnOperationsAndAnAliasIsNone() {
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

    @Test func beyondTheLimitOfFactsNothingIsAddedButAFlag() {
        var order = Order()
        for number in 0..<40 {
            order.apply(refund("F\(number)"), factsMax: 32)
        }
        #expect(order.factCount <= 32 && order.factCount > 26)
        #expect(order.status == .review && order.flags.contains(.tooManyEvents))
        // A full order shows no sums, because they would be incomplete.
        #expect(order.isFull && order.amount == nil && order.refunded == nil)
    }

    @Test func idsThatOnlyUnicodeTakesForEqualAreTwo() {
        let order = order(
            attempt(.paid, transaction: "caf\u{e9}"), attempt(.paid, transaction: "cafe\u{301}"))
        #expect(order.attempts.count == 2)
        #expect(order.flags == [.paidTwice])
    }

    @Test func attemptsStandInTheOrderOfTheirBytes() {
        let names = ["", "A", "AA", "B", "\u{e9}", "\u{1F600}"]
        var order = Order()
        for name in names.reversed() { order.apply(attempt(.pending, transaction: name)) }
        #expect(order.attempts.map(\.transaction) == names)
    }
}
