import Testing

@testable import Payments

/// Doubts that the answer to an inquiry settles, in any order of arrival.
@Suite struct SettledDoubtTests {
    /// 1000 paid under `T`.
    private let paid = attempt(.paid, money(1000))

    /// A refund as reported by a notification.
    private func claim(
        _ id: String, _ amount: Int64?, refunded: Int64?, at moment: String = "1"
    ) -> Notification {
        notification(
            .unclearRefund(
                id: id, .succeeded,
                RefundClaim(
                    amount: amount.map { money($0) }, refunded: refunded.map { money($0) },
                    moment: moment)))
    }

    /// The answer to an inquiry, with the payment's refunded total.
    private func total(_ minor: Int64) -> Notification {
        var answer = paid
        answer.refundedAtLeast = money(minor)
        return answer
    }

    @Test func `a refund under its own id is the one that the answer lists`() {
        let claims = [claim("A", 1000, refunded: 300), claim("B", 1000, refunded: 500)]
        let doubt = order([paid] + claims)
        #expect(doubt.summary.candidates == [money(500), money(800)] && doubt.status == .review)
        for (last, sum) in [(500, 800), (200, 500)] as [(Int64, Int64)] {
            let listed = [
                refund("A", .succeeded, money(300)), refund("B", .succeeded, money(last)),
            ]
            let settled = order([paid] + claims + listed + [total(sum)])
            #expect(settled.flags.isEmpty && settled.status == .partiallyRefunded)
            #expect(settled.refunded == money(sum))
        }
    }

    @Test func `a refund under the payment's id is among those that the answer lists`() {
        let settled = order(
            paid, claim("T", 1000, refunded: 250), refund("R1", .succeeded, money(250)),
            total(250))
        #expect(settled.flags.isEmpty && settled.refunded == money(250))
    }

    /// It may be one of the listed refunds or another one, so neither sum is certain.
    @Test func `another refund than those listed is a doubt`() {
        let order = order(
            paid, claim("OWN", 250, refunded: 250), refund("R1", .succeeded, money(250)),
            total(250))
        #expect(order.flags.contains(.refundAmbiguous) && order.status == .review)
        #expect(order.summary.candidates == [money(250), money(500)])
    }

    @Test func `more claims than the answer lists are a doubt`() {
        let order = order(
            paid, claim("T", 250, refunded: 250, at: "1"), claim("T", 250, refunded: 250, at: "2"),
            refund("R1", .succeeded, money(250)), total(250))
        #expect(order.flags.contains(.refundAmbiguous) && order.refunded == nil)
    }

    @Test func `an answer with another sum for the same refund is a doubt`() {
        let order = order(
            paid, claim("A", 250, refunded: 250), refund("A", .succeeded, money(300)))
        #expect(order.flags.contains(.refundAmbiguous) && order.status == .review)
    }

    /// A bound excludes the readings with a smaller sum.
    @Test func `a total decides between the readings`() {
        let doubt = order(paid, claim("T", 1000, refunded: 300), claim("T", 1000, refunded: 500))
        #expect(doubt.summary.candidates == [money(500), money(800)])
        let settled = order(
            paid, claim("T", 1000, refunded: 300), claim("T", 1000, refunded: 500), total(800))
        #expect(settled.flags.isEmpty && settled.refunded == money(800))
    }

    @Test(arguments: [DisputeStatus.open, .lost, .won, .closed])
    func `a dispute that the provider vouches for settles an unverified one`(
        _ status: DisputeStatus
    ) {
        let unverified = notification(.doubt, transaction: nil, flags: [.unverifiedChargeback])
        #expect(order(paid, unverified).status == .review)
        let settled = order(paid, unverified, dispute(status))
        #expect(!settled.flags.contains(.unverifiedChargeback))
        #expect(settled.status == order(paid, dispute(status)).status)
    }
}
