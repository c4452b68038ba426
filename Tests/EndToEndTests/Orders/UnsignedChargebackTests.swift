import Foundation
import Testing

/// ecommpay's unsigned chargeback callbacks: rejected, or a reason for review.
@Suite(.ownThreads) struct UnsignedChargebackTests {
    private static func callback(_ payments: String..., begin: String = "") -> [UInt8] {
        let list = payments.map { #"{"payment_id":"\#($0)"}"# }.joined(separator: ",")
        let body = #"{\#(begin)"chargebacks":[\#(list)]}"#
        return Array(
            ("POST /ipn/ecommpay HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
    }

    /// Sends a request from 127.0.0.`octet` and returns the answer.
    private static func answer(
        _ request: [UInt8], of instance: Instance, from octet: UInt8
    ) throws -> HTTPAnswer {
        let client = try Client(port: instance.port, source: octet)
        try client.send(request)
        return try client.receive()
    }

    private static func paid(_ references: String..., edit: (String) -> String) throws -> Instance {
        let instance = try Instance(edit: edit)
        let ecommpay = try SandboxProvider("ecommpay", of: instance)
        for reference in references {
            try instance.deliver(ecommpay.delivery(reference: reference).request())
        }
        return instance
    }

    private static func naming(_ configuration: String) -> String {
        configuration.replacing(
            "    projectID: 115",
            with: "    projectID: 115\n    unsignedChargebacks: {allow: [127.0.0.7/32]}")
    }

    @Test func `from a named network it puts the order into review and does nothing else`() throws {
        let instance = try Self.paid("CB-1", edit: Self.naming)
        let elsewhere = try Self.answer(Self.callback("CB-1"), of: instance, from: 8)
        #expect(elsewhere.status == 401)
        #expect(try OrderViews(instance, "ecommpay", "CB-1").status == "paid")
        let named = try Self.answer(Self.callback("CB-1"), of: instance, from: 7)
        #expect(named.status == 200)
        let views = try OrderViews.afterReplay(of: instance, "ecommpay", "CB-1")
        #expect(views.status == "review")
        #expect(views.flags == ["unverified_chargeback"])
        #expect(views.sum("captured") == 4200)
        #expect(views.sum("refunded") == 0)
        #expect(views.list("disputes").isEmpty)
        #expect(views.records.last?["key"] as? String == "unsigned")
        // A signed request needs a valid signature, also from this address.
        let forged = Self.callback("CB-1", begin: #""signature":"","#)
        #expect(try Self.answer(forged, of: instance, from: 7).status == 401)
    }

    @Test func `of several payments only the event is kept`() throws {
        let instance = try Self.paid("CB-1", "CB-2", edit: Self.naming)
        let answer = try Self.answer(Self.callback("CB-1", "CB-2"), of: instance, from: 7)
        #expect(answer.status == 200)
        let views = try OrderViews.afterReplay(of: instance, "ecommpay", "CB-2")
        #expect(views.status == "paid")
        #expect(views.records.last?["outcome"] as? String == "ignored")
        #expect(views.records.last?["flags"] as? [String] == ["unverified_chargeback"])
        #expect(views.records.last?["order"] == nil)
    }

    @Test func `where no network is named it is refused`() throws {
        let instance = try Self.paid("CB-1") { $0 }
        #expect(try Self.answer(Self.callback("CB-1"), of: instance, from: 7).status == 401)
        #expect(try OrderViews(instance, "ecommpay", "CB-1").status == "paid")
    }
}
