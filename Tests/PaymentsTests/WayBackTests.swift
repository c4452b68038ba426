import Payments
import Testing

/// Regression tests for orders that were flagged or summed needlessly.
struct WayBackTests {
    /// Paid and canceled: a refund may explain the return of the money.
    @Test func `a refund of all tells how a payment was canceled`() {
        let reported = order(attempt(.paid), attempt(.canceled, nil), refund("F"))
        #expect(reported.status == .refunded && reported.flags.isEmpty)
        let part = order(attempt(.paid), attempt(.canceled, nil), refund("F", .succeeded, money(1)))
        #expect(part.status == .partiallyRefunded && part.flags == [.contradicted])
        let failed = order(attempt(.paid), attempt(.canceled, nil), refund("F", .failed))
        #expect(failed.status == .paid && failed.flags == [.contradicted])
        let late = order(attempt(.paid), attempt(.failed, nil), refund("F"))
        #expect(late.flags == [.contradicted], "a refund says nothing of a failure")
    }

    /// All sums of an order are in one currency, as lists require.
    @Test func `sums of one order are in its currency`() {
        let reported = order(
            attempt(.authorized, money(90, "USD"), transaction: "X1"),
            attempt(.paid, money(100, "EUR"), transaction: "X2"))
        #expect(reported.amount == money(100, "EUR"))
        #expect(reported.summary.authorized == money(100, "EUR"))
    }
}
