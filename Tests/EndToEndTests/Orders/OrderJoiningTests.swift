import Foundation
import Testing

/// Assignment of operations to orders: by the payment that the provider names, whatever the
/// operation's own reference.
@Suite(.ownThreads) struct OrderJoiningTests {
    @Test(arguments: [true, false], StorageKind.all)
    func `a refund with a reference of its own belongs to its payment`(
        _ isRefundFirst: Bool, on storage: StorageKind
    ) throws {
        let instance = try Instance(on: storage)
        let forgery = Forgery(instance: instance)
        let payment = try forgery.opp(
            "DB", "PAY-1", amount: "92.00", ["merchantTransactionId": "ORDER-1"]
        ).request()
        let refund = try forgery.opp(
            "RF", "REF-1", amount: "92.00",
            ["merchantTransactionId": "REFUND-7", "referencedId": "PAY-1"]
        ).request()
        if isRefundFirst {
            try instance.deliver(refund)
            // Money of an unknown payment was returned: visible at once, and in review.
            let early = try OrderViews(instance, "opp", "REFUND-7")
            #expect(early.order["reference"] is NSNull)
            #expect(early.status == "review")
            #expect(early.flags == ["over_refunded", "unjoined"])
            try instance.deliver(payment)
        } else {
            try instance.deliver(payment)
            try instance.deliver(refund)
        }
        let views = try OrderViews(instance, "opp", "ORDER-1")
        #expect(views.order["reference"] as? String == "ORDER-1")
        #expect(views.aliases == ["REFUND-7"])
        #expect(views.status == "refunded")
        #expect(views.flags == [])
        #expect(views.sum("amount") == 9200)
        #expect(views.sum("refunded") == 9200)
        // The shop may also have an order with the refund's reference, which does not get this
        // order's state.
        let alias = try instance.admin().get("/orders/opp/REFUND-7")
        #expect(alias.status == 404 && alias.body.contains(#""aliasOf":"ORDER-1""#))
        // One row: the order listed under the refund's id is now part of this order.
        let list = try instance.admin().get("/orders").object()["orders"] as? [Any]
        #expect(list?.count == 1)
        for name in ["ORDER-1", "REFUND-7"] {
            let found = try instance.admin().get("/orders?reference=\(name)").object()
            let rows = try #require(found["orders"] as? [[String: Any]])
            #expect(rows.map { $0["reference"] as? String } == ["ORDER-1"], "by \(name)")
        }
        let last = try #require(instance.records().last?["order"] as? [String: Any])
        #expect(last["absorbedIDs"] as? [String] == (isRefundFirst ? ["PAY-1"] : nil))
        let replayed = try OrderViews.afterReplay(of: instance, "opp", "ORDER-1")
        #expect(replayed.status == "refunded")
    }
}
