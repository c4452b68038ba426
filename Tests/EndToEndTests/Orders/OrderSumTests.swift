import Foundation
import Testing

/// An order's sums, and the reason of its failure.
@Suite(.ownThreads) struct OrderSumTests {
    @Test(arguments: StorageKind.all)
    func `with manual capture a payment is authorized until it is captured`(on storage: StorageKind)
        throws
    {
        let instance = try Instance(on: storage) { configuration in
            configuration.replacing(
                "    clientID: SANDBOX_1", with: "    clientID: SANDBOX_1\n    capture: manual")
        }
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "CAP-1").request())
        let held = try OrderViews(instance, "antom", "CAP-1")
        #expect(held.status == "authorized")
        #expect(held.flags == [])
        #expect(held.sum("authorized") == 4200)
        #expect(held.sum("captured") == 0)
        for (number, minor) in [(1, 1000), (2, 1200)] as [(Int, Int64)] {
            try instance.deliver(
                antom.delivery(.captured, reference: "CAP-1", minor: minor, number: number)
                    .request())
        }
        let views = try OrderViews.afterReplay(of: instance, "antom", "CAP-1")
        #expect(views.order["reference"] as? String == "CAP-1")
        #expect(views.aliases == ["CAP-1-C1", "CAP-1-C2"])
        #expect(views.status == "paid")
        #expect(views.flags == ["partially_captured"])
        #expect(views.sum("amount") == 2200)
        #expect(views.sum("captured") == 2200)
        #expect(views.sum("authorized") == 4200)
        let captures = try #require(views.list("attempts").first?["captures"] as? [Any])
        #expect(captures.count == 2)
    }

    @Test(arguments: StorageKind.all)
    func `why a payment failed stands in every view`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let delivery = try Forgery(instance: instance).opp(
            "DB", "PAY-9", amount: "10.00", code: "800.100.153",
            ["merchantTransactionId": "WHY-1"])
        try instance.deliver(delivery.request())
        let views = try OrderViews.afterReplay(of: instance, "opp", "WHY-1")
        #expect(views.status == "failed")
        let reason = ["code": "800.100.153", "message": Forgery.description]
        #expect(views.order["reason"] as? [String: String] == reason)
        #expect(views.row["reason"] as? [String: String] == reason)
        #expect(views.list("attempts").first?["reason"] as? [String: String] == reason)
        #expect(views.csv["reasonCode"] == reason["code"])
        #expect(views.csv["reasonMessage"] == "'\(Forgery.description)")
        let event = try #require(views.records.last?["event"] as? OrderViews.Object)
        #expect(event["reason"] as? [String: String] == reason)
    }
}
