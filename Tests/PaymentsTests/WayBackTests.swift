import Payments
import Testing

/// What an outside examination found to be flagged, or summed up, without need.
struct WayBackTests {
    /// Paid and canceled: how the money went back may be told by a refund as well.
    @Test func aRefundOfAllTellsHowAPaymentWasCanceled() {
        let told = order(attempt(.paid), attempt(.canceled, nil), refund("F"))
        #expect(told.status == .refunded && told.flags.isEmpty)
        let part = order(attempt(.paid), attempt(.canceled, nil), refund("F", .succeeded, money(1)))
        #expect(part.status == .partiallyRefunded && part.flags == [.contradicted])
        let failed = order(attempt(.paid), attempt(.canceled, nil), refund("F", .failed))
        #expect(failed.status == .paid && failed.flags == [.contradicted])
        let late = order(attempt(.paid), attempt(.failed, nil), refund("F"))
        #expect(late.flags == [.contradicted], "a refund says nothing of a failure")
    }

    /// Lists have one currency for all sums of an order.
    @Test func sumsOfOneOrderAreInItsCurrency() {
        let told = order(
            attempt(.authorized, money(90, "USD"), transaction: "X1"),
            attempt(.paid, money(100, "EUR"), transaction: "X2"))
        #expect(told.amount == money(100, "EUR"))
        #expect(told.summary.authorized == money(100, "EUR"))
    }
}
