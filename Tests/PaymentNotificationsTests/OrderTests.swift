import PaymentNotifications
import Testing

/// An order by the public declarations alone.
@Suite struct OrderTests {
    private static func notifications() throws -> [Notification] {
        let euro = try #require(Currency("EUR"))
        func money(_ minor: Int64) -> Money { Money(minor: minor, currency: euro) }
        return [
            Notification(
                id: "1", kind: "payment", status: "pending", reference: "R-1", transaction: "T-1",
                effect: .attempt(.pending, money(4200))),
            Notification(
                id: "2", kind: "payment", status: "paid", reference: "R-1", transaction: "T-1",
                effect: .attempt(.paid, money(4200))),
            Notification(
                id: "3", kind: "refund", status: "succeeded", transaction: "T-1",
                effect: .refund(id: "F-1", .succeeded, money(1200))),
            Notification(
                id: "4", kind: "dispute", status: "open", transaction: "T-1",
                effect: .dispute(id: "D-1", .open, money(3000))),
            Notification(
                id: "5", kind: "dispute", status: "won", transaction: "T-1",
                effect: .dispute(id: "D-1", .won, money(3000))),
        ]
    }

    @Test func `an order is the same in any sequence and with any repetition`() throws {
        let all = try Self.notifications()
        let expected = all.reduce(Order()) { $0.applying($1) }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let sequence = (all + all).shuffled(using: &generator)
            let order = sequence.reduce(Order()) { $0.applying($1) }
            #expect(order == expected)
        }
        #expect(expected.status == .partiallyRefunded)
        #expect(expected.summary.captured?.decimal == "42.00")
        #expect(expected.refunded?.decimal == "12.00")
        #expect(expected.refunds.map(\.id) == ["F-1"])
        #expect(expected.disputes.first?.status == .won)
        #expect(expected.attempts.first?.reports.entries.map(\.status) == [.pending, .paid])
    }

    @Test func `an order is stored and read again`() throws {
        let order = try Self.notifications().reduce(Order(reference: "R-1")) { $0.applying($1) }
        #expect(Order(encoded: order.encoded()) == order)
        #expect(Order(encoded: [0]) == nil)
    }

    @Test func `an amount that was not expected needs a person`() throws {
        let all = try Self.notifications()
        let euro = try #require(Currency("EUR"))
        let expectation = Expectation(amount: Money(minor: 5000, currency: euro))
        let order = Order().registering(expectation, reference: "R-1").applying(all[1])
        #expect(order.status == .review && order.flags.contains(.amountUnexpected))
        #expect(Order().applying(all[1]).markingConflict().status == .review)
    }

    @Test func `two halves of an order merge`() throws {
        let all = try Self.notifications()
        let left = all[..<2].reduce(Order()) { $0.applying($1) }
        let right = all[2...].reduce(Order()) { $0.applying($1) }
        #expect(left.merging(right) == all.reduce(Order()) { $0.applying($1) })
        #expect(right.ids.contains("T-1") && right.holds("F-1"))
    }

    @Test func `the content tells a repetition from a conflict`() throws {
        let all = try Self.notifications()
        #expect(all[1].contentBytes == all[1].contentBytes)
        #expect(all[1].contentBytes != all[0].contentBytes)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_795_244_400.25, "2026-11-21T07:00:00.250000Z"),
            (-1, "1969-12-31T23:59:59Z"), (.nan, "1970-01-01T00:00:00Z"),
            (.infinity, "9999-12-31T23:59:59.999999Z"), (-1e300, "0000-01-01T00:00:00Z"),
        ] as [(Double, String)])
    func `a time from seconds is clamped`(_ seconds: Double, _ text: String) {
        #expect(Timestamp(secondsSince1970: seconds).rfc3339 == text)
    }
}
