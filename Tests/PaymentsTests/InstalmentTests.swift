import Payments
import TestSupport
import Testing

/// Payments that the provider marks as instalments of one agreement are not a double payment.
struct InstalmentTests {
    private func paid(_ id: String, agreement: String? = nil) -> Notification {
        var reported = attempt(.paid, transaction: id)
        reported.agreement = agreement
        return reported
    }

    /// The table at `Order.isPaidTwice`.
    @Test(
        arguments: [
            ([nil, nil], true), ([nil, "A"], false), (["A", "A"], false), ([nil, "A", "A"], false),
            ([nil, nil, "A"], true), (["A", "B"], true), ([nil], false), (["A"], false),
        ] as [([String?], Bool)])
    func `two payments are two only where no agreement says otherwise`(
        agreements: [String?], isTwice: Bool
    ) {
        let reported = agreements.enumerated().map { paid("T\($0)", agreement: $1) }
        let order = order(reported)
        #expect(order.flags.contains(.paidTwice) == isTwice)
        #expect(order.status == .paid)
        #expect(order.amount == money(Int64(100 * reported.count)), "each of them took money")
        #expect(order.summary.agreement == agreements.compactMap(\.self).min())
    }

    /// The expected amount is that of each instalment, not their sum.
    @Test func `instalments meet the expectation`() {
        let reported = order(paid("T1", agreement: "A"), paid("T2", agreement: "A"))
            .registering(Registration(amount: money(100)))
        #expect(reported.status == .paid && reported.flags.isEmpty)
        #expect(reported.registering(Registration(amount: money(200))).status == .review)
    }

    /// Only one of a payment's notifications may mark it as an instalment.
    @Test func `one word is enough whatever comes first`() {
        let reported = order(
            paid("T1", agreement: "A"), paid("T2"), paid("T2", agreement: "A"), paid("T3"))
        #expect(reported.attempts.map(\.agreement) == ["A", "A", nil])
        #expect(!reported.flags.contains(.paidTwice))
    }

    /// ecommpay's captures do not name their payment, and the debits of a series have no captures.
    @Test func `a capture is of what was set aside and not of a debit`() {
        let reported = order(
            attempt(.authorized, transaction: "T1"), capture(transaction: nil),
            paid("T2", agreement: "A"))
        #expect(reported.status == .paid && reported.flags.isEmpty)
        #expect(reported.summary.captured == money(200))
    }

    @Test func `the method is that of the attempts that decide`() {
        func reported(_ status: AttemptStatus, _ id: String, by method: String?) -> Notification {
            var reported = attempt(status, transaction: id)
            reported.method = method
            return reported
        }
        let both = order(reported(.failed, "T1", by: "ALIPAY"), reported(.paid, "T2", by: "VISA"))
        #expect(both.summary.method == "VISA")
        #expect(order(reported(.failed, "T1", by: "ALIPAY")).summary.method == "ALIPAY")
        let claims = order(reported(.paid, "T1", by: "VISA"), reported(.pending, "T1", by: "CARD"))
        #expect(claims.summary.method == "CARD", "the least by bytes")
        #expect(order(reported(.paid, "T1", by: nil)).summary.method == nil)
        var captured = capture(transaction: "T1")
        captured.method = "VISA"
        #expect(order(captured).summary.method == "VISA")
    }
}
