import Testing

@testable import Payments

@Suite struct ReportsTests {
    @Test func `reports are kept once a status rising`() {
        var reports = Reports<AttemptStatus>()
        for status in [AttemptStatus.failed, .pending, .paid, .pending, .authorized] {
            reports.join(Reports(status, nil))
        }
        #expect(reports.entries.map(\.status) == [.pending, .authorized, .failed, .paid])
        #expect(reports.status == .paid)
        #expect(reports.contains(.failed) && !reports.contains(.expired))
    }

    @Test func `an amount fills a report that had none and stands beside another`() {
        var reports = Reports(AttemptStatus.paid, nil)
        #expect(reports.amount == nil)
        reports.join(Reports(.paid, money(5)))
        #expect(reports.amount == money(5) && !reports.amountsDiffer)
        reports.join(Reports(.paid, nil))
        reports.join(Reports(.paid, money(3)))
        reports.join(Reports(.paid, money(4)))
        #expect(reports.claims(of: .paid)?.all == [money(3), money(4), money(5)])
        #expect(reports.amount == money(3) && reports.amountsDiffer)
    }

    @Test func `the amount is that of the highest status that names one`() {
        var reports = Reports(AttemptStatus.pending, money(1))
        reports.join(Reports(.authorized, money(2)))
        reports.join(Reports(.paid, nil))
        #expect(reports.amount == money(2))
        #expect(reports.amount(of: .pending) == money(1))
        #expect(reports.amount(of: .paid) == nil)
    }

    @Test func `every amount is looked at not only the one that counts`() {
        var reports = Reports(AttemptStatus.pending, money(2))
        reports.join(Reports(.paid, money(2)))
        #expect(reports.amountsAreAll(money(2)))
        #expect(reports.amountsAreAll(in: currency("MYR")))
        reports.join(Reports(.pending, money(1)))
        #expect(!reports.amountsAreAll(money(2)))
        reports.join(Reports(.pending, money(1, "EUR")))
        #expect(!reports.amountsAreAll(in: currency("MYR")))
        #expect(!reports.amountsAreAll(in: currency("EUR")))
    }

    @Test func `claims rise each once`() {
        #expect(AmountClaims(lowest: money(2), others: [money(1)]) == nil)
        #expect(AmountClaims(lowest: money(1), others: [money(1)]) == nil)
        #expect(AmountClaims(lowest: money(1), others: [])?.isOneAmount == true)
    }

    @Test func `of too many claims the least and the greatest are kept whoever came first`() {
        let amounts = (1...12).map { AmountClaims(money($0)) }
        var forward = amounts[0]
        for amount in amounts { forward.join(amount) }
        var backward = amounts[11]
        for amount in amounts.reversed() { backward.join(amount) }
        #expect(forward == backward)
        #expect(forward.all == [1, 2, 3, 4, 5, 6, 7, 12].map { money($0) })
    }
}
