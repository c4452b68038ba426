import Payments
import Testing

/// Citcon's refunds of a charge of 100. Each claim is (id, amount, amount_refunded).
@Suite struct RefundReadingsTests {
    struct Row: Sendable {
        var claims: [(id: String, amount: Int64, refunded: Int64?)]
        var sum: Int64?
        var candidates: [Int64] = []
    }

    @Test(arguments: [
        // The refund's own amount; this refund.
        Row(claims: [("F1", 30, 30), ("F2", 20, 20)], sum: 50),
        Row(claims: [("F1", 50, 50), ("F2", 50, 50)], sum: 100),
        // The refund's own amount; the sum so far.
        Row(claims: [("F1", 30, 30), ("F2", 20, 50)], sum: 50),
        Row(claims: [("F2", 20, 50)], sum: 50),
        // The charge's amount; only the bound of 100 distinguishes the readings.
        Row(claims: [("F1", 100, 30), ("F2", 100, 50)], candidates: [50, 80]),
        Row(claims: [("F1", 100, 60), ("F2", 100, 80)], sum: 80),
        Row(claims: [("F1", 100, 30), ("F2", 100, 20)], candidates: [30, 50]),
        Row(claims: [("F1", 100, 30), ("F2", 100, 30)], sum: 60),
        Row(claims: [("F1", 100, 30)], sum: 30),
        // No sum besides the amount.
        Row(claims: [("F1", 30, nil), ("F2", 20, nil)], sum: 50),
        Row(claims: [("F1", 100, nil)], sum: 100),
        // The charge's id: two equal refunds differ in their times.
        Row(claims: [("T", 50, 50), ("T", 50, 50)], sum: 100),
        Row(claims: [("T", 100, 30), ("T", 100, 50)], candidates: [50, 80]),
        // The same refund twice with different times: one refund, because the id is its own.
        Row(claims: [("F1", 50, 50), ("F1", 50, 50)], sum: 50),
        // No reading fits.
        Row(claims: [("F1", 30, 20), ("F2", 20, 10)], candidates: [20, 30, 50]),
    ])
    func `each reading that fits gives a sum`(row: Row) {
        var order = Order().applying(attempt(.paid))
        for (number, claim) in row.claims.enumerated() {
            order.apply(self.claim(claim.id, claim.amount, claim.refunded, "m\(number)"))
        }
        let summary = order.summary
        #expect(summary.refunded == row.sum.map { money($0) })
        #expect(summary.candidates == row.candidates.map { money($0) })
        #expect(summary.flags == (row.candidates.isEmpty ? [] : [.refundAmbiguous]))
        #expect((summary.status == .review) == !row.candidates.isEmpty)
    }

    /// Equal claims under the refund's own id are one refund; under the charge's id only with equal
    /// times.
    @Test(arguments: [("F1", "m", true), ("F1", "n", true), ("T", "m", true), ("T", "n", false)])
    func `a claim that succeeded and failed is contradicted`(
        id: String, moment: String, isContradicted: Bool
    ) {
        let refunds = [
            attempt(.paid), claim(id, 30, 30, "m"), claim(id, 30, 30, moment, .failed),
            claim("F2", 20, 20, "m", .failed),
        ]
        let order = order(refunds)
        #expect(order.status == .partiallyRefunded && order.refunded == money(30))
        #expect(order.flags == (isContradicted ? [.contradicted] : []))
        #expect(Order(encoded: order.encoded()) == order)
        #expect(order.merging(order) == order)
    }

    @Test func `a charge that says it is refunded is not plainly paid`() {
        var charge = attempt(.paid)
        charge.refundedAtLeast = money(30)
        let alone = order(charge)
        #expect(alone.status == .review && alone.flags == [.refundAmbiguous])
        #expect(alone.summary.candidates == [money(0), money(30)])
        let reported = order(charge, claim("F1", 30, 30, "m"))
        #expect(reported.status == .partiallyRefunded && reported.refunded == money(30))
        // It decides between two readings.
        charge.refundedAtLeast = money(80)
        let settled = order(charge, claim("T", 100, 30, "m"), claim("T", 100, 50, "n"))
        #expect(settled.status == .partiallyRefunded && settled.refunded == money(80))
    }

    @Test func `a claim under a refund's id tells that refund not a second one`() {
        let order = PaymentsTests.order(
            attempt(.paid), refund("F1", .succeeded, money(30)), claim("F1", 30, 30, "m"))
        #expect(order.refunded == money(30))
    }

    @Test func `only what succeeded counts`() {
        var failed = claim("F1", 30, 30, "m")
        failed.effect = .unclearRefund(
            id: "F1", .failed, RefundClaim(amount: money(30), refunded: nil, moment: nil))
        #expect(order(attempt(.paid), failed).status == .paid)
    }

    private func claim(
        _ id: String, _ amount: Int64, _ refunded: Int64?, _ moment: String,
        _ status: ActionStatus = .succeeded
    ) -> Notification {
        let claim = RefundClaim(
            amount: money(amount), refunded: refunded.map { money($0) }, moment: moment)
        return notification(.unclearRefund(id: id, status, claim))
    }
}
