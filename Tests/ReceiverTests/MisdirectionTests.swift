import Bytes
import Payments
import Platform
import Providers
import Testing

@testable import Receiver

/// Requests to unknown paths, and the endpoints that they were meant for.
@Suite struct MisdirectionTests {
    private static func endpoint(
        _ name: String, _ system: String, path: String, publicPath: String? = nil,
        allow: [String] = []
    ) throws -> Endpoint {
        let citcon = try #require(ProviderRegistry.all["citcon-upi"])
        return Endpoint(
            name: name, path: path, publicPath: publicPath, providerName: system,
            provider: try citcon.make(
                EndpointSettings(name: name, ["secrets": .secrets([Array("secret".utf8)])])),
            marks: try #require(ProviderRegistry.all[system]).marks,
            allow: allow.compactMap(IPNetwork.init), counters: Metrics().counters(of: name))
    }

    private static func table(inspectedBytesMax: Int = 65_536) throws -> EndpointTable {
        EndpointTable(
            [
                try endpoint("antom", "antom", path: "/ipn/antom"),
                try endpoint("upi", "citcon-upi", path: "/ipn/citcon"),
                try endpoint("pay", "citcon-pay", path: "/ipn/citcon-pay", publicPath: "/web/pay"),
            ], inspectedBytesMax: inspectedBytesMax)
    }

    private static func delivery(
        _ path: String, method: String = "POST", headers: [String] = [], body: String = ""
    ) -> SignedRequest {
        SignedRequest(
            method: method, path: Array(path.utf8)[...], headers: headers.map { Header($0, "x") },
            body: Array(body.utf8), received: Timestamp(microseconds: 0))
    }

    private static let signed = ["client-id", "signature"]
    private static let citcon = #"{"fields":"id","sign":"00","id":"1"}"#

    @Test(arguments: [
        ("/antom", "antom"), ("/pay/antom", "antom"), ("/ipn/antom/", "antom"), ("/", "antom"),
        // The marks count more than the path.
        ("/ipn/citcon/", "antom"),
    ])
    func `a system is known by its headers`(_ path: String, _ nearest: String) throws {
        let found = try Self.table().misdirection(of: Self.delivery(path, headers: Self.signed))
        #expect(found?.nearest.name == nearest)
        #expect(found?.system == "antom")
    }

    /// Citcon's two systems have the same marks: the path decides.
    @Test(arguments: [
        ("/ipn/citcn", "upi", "citcon-upi"), ("/api/ipn/citcon-pay", "pay", "citcon-pay"),
        ("/WEB/pay/", "pay", "citcon-pay"), ("/citcon", "upi", "citcon-upi"),
    ])
    func `the nearest path decides where several look alike`(
        _ path: String, _ nearest: String, _ system: String
    ) throws {
        let found = try Self.table().misdirection(of: Self.delivery(path, body: Self.citcon))
        #expect(found?.nearest.name == nearest)
        #expect(found?.system == system)
    }

    @Test func `a system without an endpoint is recognised, too`() throws {
        let found = try Self.table().misdirection(
            of: Self.delivery("/ipn/citcon-pays", headers: ["webhook-id", "webhook-signature"]))
        #expect(found?.system == "standard-webhooks")
        #expect(found?.nearest.name == "pay")
    }

    @Test func `anything else is not a misdirection`() throws {
        let table = try Self.table()
        #expect(table.misdirection(of: Self.delivery("/ipn/anton", body: "{}")) == nil)
        #expect(table.misdirection(of: Self.delivery("/wp-login.php", body: "log=a&pwd=b")) == nil)
        for method in ["GET", "PUT", "post"] {
            #expect(
                table.misdirection(of: Self.delivery("/x", method: method, headers: Self.signed))
                    == nil)
        }
        let nowhere = EndpointTable([], inspectedBytesMax: 65_536)
        #expect(nowhere.misdirection(of: Self.delivery("/x", headers: Self.signed)) == nil)
    }

    @Test func `only the first bytes of the body are inspected`() throws {
        let delivery = Self.delivery("/x", body: Self.citcon)
        let half = try Self.table(inspectedBytesMax: 15)
        #expect(half.misdirection(of: delivery) == nil)
        #expect(try Self.table().misdirection(of: delivery) != nil)
    }

    /// Clients that no endpoint admits make no entries.
    @Test func `endpoints that do not admit the client are left out`() throws {
        let table = EndpointTable(
            [try Self.endpoint("a", "antom", path: "/a", allow: ["203.0.113.0/24"])],
            inspectedBytesMax: 65_536)
        let delivery = Self.delivery("/b", headers: Self.signed)
        for (client, isFound) in [("203.0.113.7", true), ("198.51.100.1", false)] {
            let found = table.misdirection(of: delivery) { $0.admits(IPAddress(client)) }
            #expect((found != nil) == isFound)
        }
    }

    @Test(arguments: [
        ("/a", "/a", 0), ("/A", "/a", 0), ("/a", "/a/", 1), ("/ipn/a", "/a", 4), ("", "/abc", 4),
        ("/aa", "/aaa", 1), ("/ipn/antmo", "/ipn/antom", 2), ("/abc", "/xyz", 3),
        ("/api/ipn/antom", "/ipn/antom", 4), ("/pay/antom", "/ipn/antom", 3),
    ])
    func `a distance is what is not in common`(_ left: String, _ right: String, _ distance: Int) {
        let (left, right) = (Array(left.utf8)[...], Array(right.utf8)[...])
        #expect(Misdirection.distance(left, right) == distance)
        #expect(Misdirection.distance(right, left) == distance)
    }
}
