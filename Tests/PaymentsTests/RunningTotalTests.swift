import Testing

@testable import Payments

/// Refunds of which only the sum until then is known.
@Suite struct RunningTotalTests {
    private func money(_ minor: Int64, _ currency: String = "EUR") -> Money {
        Money(minor: minor, currency: Currency(currency)!)
    }

    private func paid(_ transaction: String = "T") -> Notification {
        Notification(
            id: "P-\(transaction)", kind: "payment", status: "paid", reference: "R",
            transaction: transaction, effect: .attempt(.paid, money(10_000)))
    }

    /// A refund with its own amount, a total, or both in two reports.
    private func refund(
        _ id: String, _ amount: Int64? = nil, total: Int64? = nil, of transaction: String = "T",
        in currency: String = "EUR"
    ) -> Notification {
        Notification(
            id: "\(id)-\(amount ?? -1)", kind: "refund", status: "succeeded", reference: "R",
            transaction: transaction,
            effect: .refund(id: id, .succeeded, amount.map { money($0, currency) }),
            refundedAtLeast: total.map { money($0, currency) })
    }

    /// The order after these notifications, which is the same in any order, and survives its
    /// encoding.
    private func order(_ notifications: [Notification]) throws -> Order {
        let order = notifications.reduce(Order()) { $0.applying($1) }
        #expect(notifications.reversed().reduce(Order()) { $0.applying($1) } == order)
        let halves = [notifications.prefix(2), notifications.dropFirst(2)].map {
            $0.reduce(Order()) { $0.applying($1) }
        }
        #expect(halves[1].merging(halves[0]) == order)
        let encoded = order.encoded()
        #expect(Order(encoded: encoded) == order)
        for id in order.refunds.map(\.id) + ["T", "U", "X"] {
            #expect(EncodedOrder(encoded[...]).names(id) == order.names(id))
        }
        return order
    }

    @Test func `the greatest total counts`() throws {
        let order = try order([paid(), refund("A", total: 3000), refund("B", total: 5000)])
        #expect(order.summary.refunded == money(5000))
        #expect(order.status == .partiallyRefunded && order.flags.isEmpty)
        let all = order.applying(refund("C", total: 10_000))
        #expect(all.status == .refunded && all.summary.refunded == money(10_000))
    }

    /// The notification of the first refund was lost.
    @Test func `a lost refund is in the next total`() throws {
        let order = try order([paid(), refund("B", total: 5000)])
        #expect(order.summary.refunded == money(5000) && order.flags.isEmpty)
    }

    @Test func `a payment's totals are its own`() throws {
        let order = try order([
            paid(), paid("U"), refund("A", total: 3000), refund("B", total: 2000, of: "U"),
        ])
        #expect(order.summary.refunded == money(5000))
    }

    @Test func `a refund that is also known by its amount is within the total`() throws {
        let order = try order([
            paid(), refund("A", 3000), refund("A", total: 3000), refund("B", total: 5000),
        ])
        #expect(order.summary.refunded == money(5000) && order.flags.isEmpty)
    }

    /// It may have come before or after the total.
    @Test func `one that is known by its amount only needs a person`() throws {
        let order = try order([paid(), refund("A", 3000), refund("B", total: 5000)])
        #expect(order.status == .review && order.flags.contains(.refundAmbiguous))
        #expect(order.summary.candidates == [money(5000), money(8000)])
        // More than the total: it came after.
        let later = try self.order([paid(), refund("A", 3000), refund("B", total: 2000)])
        #expect(later.summary.refunded == money(5000) && later.flags.isEmpty)
    }

    @Test func `a total in another currency is no sum`() throws {
        let order = try order([paid(), refund("A", total: 3000, in: "USD")])
        #expect(order.status == .review, "\(order.flags)")
    }
}
