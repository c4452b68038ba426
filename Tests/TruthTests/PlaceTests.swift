import Payments
import ProviderFixtures
import TestSupport
import Testing

@testable import Providers

/// The order of an operation without a reference, and the events that a full order does not store.
@Suite struct PlaceTests {
    private static func money(_ minor: Int64) -> Money {
        Money(minor: minor, currency: Money.sampleCurrency)
    }

    private static func paid(_ reference: String, _ id: String, _ ids: IDSpace) -> Notification {
        Notification(
            id: "paid-\(reference)", kind: "payment", status: "paid", reference: reference,
            transaction: id, effect: .attempt(.paid, money(100_000)), ids: ids)
    }

    private static func refund(
        _ name: String, of payment: String, _ ids: IDSpace, reference: String? = nil,
        alias: String? = nil
    ) -> Notification {
        Notification(
            id: "refund-\(name)", kind: "refund", status: "succeeded", reference: reference,
            alias: alias, transaction: payment, effect: .refund(id: name, .succeeded, money(100)),
            ids: ids)
    }

    private static func ledger(_ told: [Notification], factsMax: Int = 1000) -> TruthLedger {
        var ledger = TruthLedger(factsMax: factsMax)
        for notification in told { ledger.record(notification, isLast: true) }
        return ledger
    }

    /// Ids that are numbered within each order lead nowhere without its reference.
    @Test(arguments: [false, true])
    func `an ID that is unique within a reference leads to no order`(isRefundFirst: Bool) {
        let payments = [
            Self.paid("A", "1", .reference), Self.paid("B", "1", .reference),
        ]
        let refund = [Self.refund("F", of: "1", .reference)]
        let ledger = Self.ledger(isRefundFirst ? refund + payments : payments + refund)
        for reference in ["A", "B"] {
            #expect(ledger.order(reference)?.status == .paid)
            #expect(ledger.order(reference)?.refunds.isEmpty == true)
        }
        let apart = ledger.order(unjoined: "1")
        #expect(apart?.refunds.count == 1)
        #expect(apart?.status == .review && apart?.flags == [.overRefunded, .unjoined])
    }

    @Test(arguments: [false, true])
    func `an operation is of the order that it names where several have the payment`(
        isRefundFirst: Bool
    ) {
        let payments = [Self.paid("A", "P", .account), Self.paid("B", "P", .account)]
        let refund = [Self.refund("F", of: "P", .account, reference: "B")]
        let ledger = Self.ledger(isRefundFirst ? refund + payments : payments + refund)
        #expect(ledger.order("B")?.refunds.count == 1)
        #expect(ledger.order("A")?.refunds.isEmpty == true)
    }

    /// A sender may use one event id for several operations: the second is not a repetition.
    @Test func `one identity with another operation is a contradiction`() {
        var other = Self.refund("G", of: "P", .account, reference: "A")
        var first = Self.refund("F", of: "P", .account, reference: "A")
        (first.id, other.id) = ("E", "E")
        for told in [[first, other], [other, first]] {
            let order = Self.ledger([Self.paid("A", "P", .account)] + told).order("A")
            #expect(order?.status == .review && order?.flags == [.conflict])
            #expect(order?.refunds.map(\.id) == ["F", "G"])
        }
    }

    /// Without a reference the pointer distinguishes the events.
    @Test func `the same event ID for two payments is two events`() {
        let mapping = FieldMapping(
            identity: ["/event"], reference: "/order", transaction: "/payment", action: "/refund",
            status: "/type", amount: "/amount", currency: .fixed("EUR"),
            statuses: ["refunded": .refunded])
        let ids = ["P-1", "P-2", "P-1"].map { payment in
            let body =
                #"{"event":"E","payment":"\#(payment)","refund":"F","type":"refunded","#
                + #""amount":100}"#
            return MappedInterpretation.notification(Array(body.utf8), mapping: mapping).id
        }
        #expect(ids[0] != ids[1] && ids[0] == ids[2])
    }

    /// In any order of arrival: each reference finds an order, and nothing incomplete is reported
    /// as complete.
    @Test(
        arguments: [IDSpace.account, .anything], [false, true])
    func `a full order loses no reference`(_ ids: IDSpace, isPaymentLast: Bool) {
        let isAlias = ids == .anything
        let refunds = (0..<100).map { number in
            Self.refund(
                "F\(number)", of: "P", ids, reference: isAlias ? nil : "R\(number)",
                alias: isAlias ? "R\(number)" : nil)
        }
        let payment = [Self.paid("A", "P", ids)]
        let ledger = Self.ledger(
            isPaymentLast ? refunds + payment : payment + refunds, factsMax: 64)
        let order = ledger.order("A")
        #expect(order?.status == .review && order?.flags.contains(.tooManyEvents) == true)
        #expect(order?.summary.refunded == nil)
        var own = 0
        for number in 0..<100 {
            let found = ledger.order("R\(number)")
            #expect(found != nil, "R\(number)")
            if found?.reference == "R\(number)" {
                own += 1
                #expect(found?.flags.contains(.tooManyEvents) == true, "R\(number)")
            }
        }
        #expect(own > 40 || (isAlias && isPaymentLast), "\(own)")
    }
}
