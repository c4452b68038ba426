import Payments
import Testing

/// Each chargeback reversal settles one chargeback.
@Suite struct ChargebackReversalTests {
    private func chargeback(_ id: String, of transaction: String? = "T") -> Notification {
        notification(.dispute(id: id, .lost, money(100)), transaction: transaction)
    }

    private func reversal(_ id: String, of named: String?) -> Notification {
        notification(.reversal(.dispute, id: id, .succeeded, money(100)), transaction: named)
    }

    @Test(arguments: [nil, "T", "D1"])
    func `a second chargeback is charged back`(named: String?) {
        let first = order(attempt(.paid), chargeback("D1"), reversal("V1", of: named))
        #expect(first.status == .paid && first.flags.isEmpty)
        let second = order(
            attempt(.paid), chargeback("D1"), reversal("V1", of: named), chargeback("D2"))
        #expect(second.status == .chargedBack && second.flags.isEmpty)
        let settled = second.applying(reversal("V2", of: named == "D1" ? "D2" : named))
        #expect(settled.status == .paid && settled.flags.isEmpty)
    }

    @Test func `one reversal of one dispute settles no other`() {
        let order = order(
            attempt(.paid), chargeback("D1"), chargeback("D2"), reversal("V1", of: "D1"),
            reversal("V2", of: "D1"))
        #expect(order.status == .chargedBack)
    }

    @Test func `a chargeback of another payment is not settled`() {
        let order = order(
            attempt(.paid), attempt(.paid, transaction: "U"), chargeback("D", of: "U"),
            reversal("V", of: "T"))
        #expect(order.status == .chargedBack)
    }

    @Test func `a reversal may name the capture or the payment`() {
        for (disputed, named) in [("C", "T"), ("T", "C"), ("C", "C")] {
            let order = order(
                attempt(.authorized), capture(), chargeback("D", of: disputed),
                reversal("V", of: named))
            #expect(order.status == .paid, "\(disputed) \(named)")
        }
    }

    @Test func `a bound of refunds lapses with those that were taken back`() {
        var bound = attempt(.paid)
        bound.refundedAtLeast = money(30)
        let taken = notification(.reversal(.refund, id: "V", .succeeded, money(30)))
        let order = order(bound, refund("F", .succeeded, money(30)), taken)
        #expect(order.status == .paid && order.flags.isEmpty && order.refunded == money(0))
        // The bound still applies to other refunds.
        let more = PaymentsTests.order(
            bound, refund("F", .succeeded, money(10)),
            notification(.reversal(.refund, id: "V", .succeeded, money(10))))
        #expect(more.status == .review && more.flags == [.refundAmbiguous])
    }
}
