import Foundation
import Testing

/// Uncertain reports: the order is in `review` with the reason, and shows the claims.
@Suite(.ownThreads) struct OrderDoubtTests {
    @Test(arguments: [[4200, 4100], [4100, 4200]] as [[Int64]], StorageKind.all)
    func `one identity with two amounts is for review whatever came first`(
        _ amounts: [Int64], on storage: StorageKind
    ) throws {
        let instance = try Instance(on: storage)
        let antom = try SandboxProvider("antom", of: instance)
        for minor in amounts {
            try instance.deliver(antom.delivery(reference: "TWO-1", minor: minor).request())
        }
        let views = try OrderViews.afterReplay(of: instance, "antom", "TWO-1")
        #expect(views.status == "review")
        #expect(views.flags == ["conflict", "amounts_differ"])
        #expect(views.sum("amount") == 4100)
        #expect(views.sum("captured") == 4100)
        #expect(views.sums("claims") == [4100, 4200])
        #expect(views.records.map { $0["outcome"] as? String } == ["recorded", "conflict"])
        #expect(views.records.last?["conflictsWith"] as? Int == 1)
        // Either claim again is a duplicate.
        for minor in amounts {
            try instance.deliver(antom.delivery(reference: "TWO-1", minor: minor).request())
        }
        #expect(try instance.records().count == 2)
    }

    @Test(arguments: [true, false], StorageKind.all)
    func `an unsigned refund with the charge's ID is no repetition and counts for nothing`(
        _ isRefundFirst: Bool, on storage: StorageKind
    ) throws {
        let instance = try Instance(on: storage)
        let forgery = Forgery(instance: instance)
        // The documented list of signed fields does not include `type`.
        let signed: Forgery.Fields = [
            ("id", "CHARGE-1"), ("amount", "4200"), ("currency", "USD"),
            ("reference", "PAY-1"), ("notify_status", "success"), ("time", "2026-11-21 07:00:00"),
        ]
        let charge = try forgery.citconPay(signed, unsigned: [("type", "charge")]).request()
        let refund = try forgery.citconPay(signed, unsigned: [("type", "refund")]).request()
        for request in isRefundFirst ? [refund, charge] : [charge, refund] {
            try instance.deliver(request)
        }
        let views = try OrderViews.afterReplay(of: instance, "citcon-pay", "PAY-1")
        #expect(views.status == "review")
        #expect(views.flags == ["unsigned_claim"])
        #expect(views.sum("amount") == 4200)
        #expect(views.sum("captured") == 4200)
        #expect(views.sum("refunded") == 0)
        #expect(views.order["sequences"] as? [Int] == [1, 2])
        let effects = views.records.map { ($0["event"] as? OrderViews.Object)?["effect"] }
            .map { ($0 as? OrderViews.Object)?["on"] as? String }
        #expect(effects == (isRefundFirst ? ["doubt", "attempt"] : ["attempt", "doubt"]))
        try instance.deliver(refund)
        #expect(try instance.records().count == 2)
    }

    private static func refund(
        _ number: Int, amount: Int, sumSoFar: Int
    ) -> Forgery.Fields {
        [
            ("id", "REFUND-\(number)"), ("transaction_type", "refund"), ("reference", "UPI-1"),
            ("amount", "\(amount)"), ("currency", "USD"), ("status", "success"),
            ("time_completed", "2026-11-21T07:0\(number):00Z"),
            ("amount_refunded", "\(sumSoFar)"), ("transaction_id", "CHARGE-1"),
        ]
    }

    private static let charge: Forgery.Fields = [
        ("id", "CHARGE-1"), ("transaction_type", "charge"), ("reference", "UPI-1"),
        ("amount", "10000"), ("currency", "USD"), ("status", "success"),
        ("amount_captured", "10000"), ("amount_refunded", ""),
    ]

    /// Refunds of 3000 and 2000, reported with the charge's amount: 5000 so far, or 8000 in total?
    @Test(arguments: StorageKind.all)
    func `refunds in words that allow two sums list both`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let forgery = Forgery(instance: instance)
        let told = [
            Self.refund(2, amount: 10000, sumSoFar: 5000), Self.charge,
            Self.refund(1, amount: 10000, sumSoFar: 3000),
        ]
        for fields in told { try instance.deliver(forgery.citconUPI(fields).request()) }
        let views = try OrderViews.afterReplay(of: instance, "citcon", "UPI-1")
        #expect(views.status == "review")
        #expect(views.flags == ["refund_ambiguous"])
        #expect(views.sums("candidates") == [5000, 8000])
        #expect(views.order["refunded"] is NSNull)
        #expect(views.sum("captured") == 10000)
        let claims = views.list("refundClaims").map { $0["amountRefunded"] as? OrderViews.Object }
        #expect(claims.map { $0?["minor"] as? Int } == [3000, 5000])
    }

    /// The same refunds with their own amounts fit only one sum.
    @Test(arguments: StorageKind.all)
    func `refunds in words that allow one sum count`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let forgery = Forgery(instance: instance)
        let told = [
            Self.refund(2, amount: 2000, sumSoFar: 5000), Self.charge,
            Self.refund(1, amount: 3000, sumSoFar: 3000),
        ]
        for fields in told { try instance.deliver(forgery.citconUPI(fields).request()) }
        let views = try OrderViews.afterReplay(of: instance, "citcon", "UPI-1")
        #expect(views.status == "partially_refunded")
        #expect(views.flags == [])
        #expect(views.sum("refunded") == 5000)
        #expect(views.sum("captured") == 10000)
    }

    @Test(arguments: StorageKind.all)
    func `a payment whose amount cannot be read makes its order visible`(on storage: StorageKind)
        throws
    {
        let instance = try Instance(on: storage)
        let body =
            #"{"notifyType":"PAYMENT_RESULT","paymentAmount":{"currency":"MYR","value":"42.00"},"#
            + #""paymentId":"P-1","paymentRequestId":"DIM-1","#
            + #""result":{"resultCode":"SUCCESS","resultMessage":"success.","resultStatus":"S"}}"#
        try instance.deliver(AntomForgery(instance).sign(body: body).request())
        let views = try OrderViews.afterReplay(of: instance, "antom", "DIM-1")
        #expect(views.status == "review")
        #expect(views.flags == ["not_understood"])
        #expect(views.order["amount"] is NSNull)
        #expect(views.records.last?["outcome"] as? String == "recorded")
        let found = try instance.admin().get("/orders?flag=not_understood").object()["orders"]
        #expect((found as? [Any])?.count == 1)
    }
}
