import Foundation
import TestSupport
import Testing

/// An order without a reference in any notification, which is opened by a provider's id.
@Suite(.ownThreads) struct UnnamedOrderTests {
    private static let failed: Forgery.Fields = [
        ("id", "CH-77"), ("transaction_type", "charge"), ("reference", ""), ("amount", "4200"),
        ("currency", "MYR"), ("status", "failed"), ("time_created", "2026-11-21T07:00:00.000Z"),
        ("payment_method", "alipay"), ("code", "4000"), ("message", "declined by the wallet"),
    ]

    @Test(arguments: StorageKind.all)
    func `a failed charge without a reference is opened by its ID`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        try instance.deliver(Forgery(instance: instance).citconUPI(Self.failed).request())
        let admin = try instance.admin()
        let order = try admin.get("/orders/citcon/~CH-77").object()
        #expect(order["status"] as? String == "failed" && order["reference"] is NSNull)
        #expect(order["flags"] as? [String] == ["unjoined"])
        #expect(order["method"] as? String == "alipay")
        #expect((order["reason"] as? [String: String])?["code"] == "4000")
        #expect(try admin.get("/orders/citcon/~CH-78").status == 404)
        #expect(try admin.get("/orders/antom/~CH-77").status == 404)
        // Nothing can be decided about it while no reference is known.
        let body = #"{"reason":"x","last":1}"#
        #expect(try admin.post("/orders/citcon/~CH-77/resolve", body).status == 409)
        let shown = try run(
            Binary.ipnd,
            [
                "orders", "~CH-77", "--endpoint", "citcon", "--config",
                instance.configurationFile, "--url", "http://127.0.0.1:\(instance.adminPort)",
            ])
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.contains("FAILED") && shown.output.contains("declined by the wallet"))
        let visitor = try PageSessionTests.visitor(instance)
        let page = try visitor.get("/ui/orders/citcon/~CH-77")
        #expect(page.status == 200 && page.body.contains("alipay"))
        let list = try visitor.get("/ui/orders").body
        #expect(list.contains("orders/citcon/~CH-77"), "the list leads to it")
    }

    /// If a reference begins with this character, the name means that order.
    @Test func `a reference comes first`() throws {
        let instance = try Instance()
        var named = Self.failed
        named[2].value = "~CH-77"
        named[0].value = "CH-1"
        let forgery = Forgery(instance: instance)
        try instance.deliver(forgery.citconUPI(Self.failed).request())
        try instance.deliver(forgery.citconUPI(named).request())
        let order = try instance.admin().get("/orders/citcon/~CH-77").object()
        #expect(order["reference"] as? String == "~CH-77")
    }
}
