import Foundation
import TestSupport
import Testing

/// One payment reported for two orders cannot have paid both.
@Suite(.ownThreads) struct SharedPaymentTests {
    @Test(arguments: StorageKind.all)
    func `both are in review until a person takes them apart`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let sender = try SignedWebhook(instance)
        for reference in ["A", "B"] {
            try instance.deliver(sender.request(reference, transaction: "PAY-1"))
        }
        let admin = try instance.admin()
        for (reference, other) in [("A", "B"), ("B", "A")] {
            let order = try admin.get("/orders/hmac/\(reference)").object()
            #expect(order["status"] as? String == "review")
            #expect(order["flags"] as? [String] == ["shared_id"])
            #expect(order["sharedWith"] as? [String] == [other])
        }
        // The second order's record also changed the first order.
        let areListed = try eventually {
            let list = try admin.get("/orders?flag=shared_id").body
            return list.contains(#""reference":"A""#) && list.contains(#""reference":"B""#)
        }
        #expect(areListed)

        let split = "/orders/hmac/A/split"
        let stale = try admin.post(split, #"{"reason":"called them","last":7}"#)
        #expect(stale.code == "order_changed")
        let last = try admin.get("/orders/hmac/A").object()["last"] as? Int ?? 0
        let answer = try admin.post(split, #"{"reason":"called them","last":\#(last)}"#)
        #expect(answer.status == 200, "\(answer.body)")
        try expectApart(admin)
        let again = try admin.post(split, #"{"reason":"called them","last":3}"#)
        #expect(again.code == "nothing_joined")
        instance.stop()
        try instance.start()
        try expectApart(try instance.admin())
    }

    private func expectApart(_ admin: AdminClient) throws {
        let settled = try admin.get("/orders/hmac/A").object()
        #expect(settled["status"] as? String == "paid")
        #expect(settled["sharedWith"] == nil)
        #expect(try admin.get("/orders/hmac/B").object()["status"] as? String == "review")
        let isListed = try eventually {
            let list = try admin.get("/orders?flag=shared_id").body
            return !list.contains(#""reference":"A""#) && list.contains(#""reference":"B""#)
        }
        #expect(isListed)
    }
}
