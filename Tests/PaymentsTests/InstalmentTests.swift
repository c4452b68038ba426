import Payments
import TestSupport
import Testing

/// Payments that the provider marks as instalments of one agreement are no double payment.
struct InstalmentTests {
    private func paid(_ id: String, agreement: String? = nil) -> Notification {
        var told = attempt(.paid, transaction: id)
        told.agreement = agreement
        return told
    }

    /// The table at `Order.isPaidTwice`.
    @Test(
        arguments: [
            ([nil, nil], true), ([nil, "A"], false), (["A", "A"], false), ([nil, "A", "A"], false),
            ([nil, nil, "A"], true), (["A", "B"], true), ([nil], false), (["A"], false),
        ] as [([String?], Bool)])
    func twoPaymentsAreTwoOnlyWhereNoAgreementSaysOtherwise(
        agreements: [String?], isTwice: Bool
    ) {
        let told = agreements.enumerated().map { paid("T\($0)", agreement: $1) }
        let order = order(told)
        #expect(order.flags.contains(.paidTwice) == isTwice)
        #expect(order.status == .paid)
        #expect(order.amount == money(Int64(100 * told.count)), "each of them took money")
        #expect(order.summary.agreement == agreements.compactMap(\.self).min())
    }

    /// Each instalment is what is expected, not their sum.
    @Test func instalmentsMeetTheExpectation() {
        let told = order(paid("T1", agreement: "A"), paid("T2", agreement: "A"))
            .registering(Registration(amount: money(100)))
        #expect(told.status == .paid && told.flags.isEmpty)
        #expect(told.registering(Registration(amount: money(200))).status == .review)
    }

    /// One payment may be told as an instalment by one notification only.
    @Test func oneWordIsEnoughWhateverComesFirst() {
        let told = order(
            paid("T1", agreement: "A"), paid("T2"), paid("T2", agreement: "A"), paid("T3"))
        #expect(told.attempts.map(\.agreement) == ["A", "A", nil])
        #expect(!told.flags.contains(.paidTwice))
    }

    /// ecommpay: a capture names no payment, and the debits of a series have none.
    @Test func aCaptureIsOfWhatWasSetAsideAndNotOfADebit() {
        let told = order(
            attempt(.authorized, transaction: "T1"), capture(transaction: nil),
            paid("T2", agreement: "A"))
        #expect(told.status == .paid && told.flags.isEmpty)
        #expect(told.summary.captured == money(200))
    }

    @Test func theMethodIsThatOfTheAttemptsThatDecide() {
        func told(_ status: AttemptStatus, _ id: String, by method: String?) -> Notification {
            var told = attempt(status, transaction: id)
            told.method = method
            return told
        }
        let both = order(told(.failed, "T1", by: "ALIPAY"), told(.paid, "T2", by: "VISA"))
        #expect(both.summary.method == "VISA")
        #expect(order(told(.failed, "T1", by: "ALIPAY")).summary.method == "ALIPAY")
        let claims = order(told(.paid, "T1", by: "VISA"), told(.pending, "T1", by: "CARD"))
        #expect(claims.summary.method == "CARD", "the least by bytes")
        #expect(order(told(.paid, "T1", by: nil)).summary.method == nil)
        var captured = capture(transaction: "T1")
        captured.method = "VISA"
        #expect(order(captured).summary.method == "VISA")
    }
}
