import Platform
import Providers
import Testing

@testable import Receiver

@Suite struct EndpointTests {
    private static func endpoint(
        _ name: String, path: String, publicPath: String? = nil, allow: [String] = []
    ) throws -> Endpoint {
        let descriptor = try #require(ProviderRegistry.all["citcon-upi"])
        return Endpoint(
            name: name, path: path, publicPath: publicPath, providerName: "citcon-upi",
            provider: try descriptor.make(
                EndpointSettings(name: name, ["secrets": .secrets([Array("secret".utf8)])])),
            allow: allow.compactMap(IPNetwork.init), counters: Metrics().counters(of: name))
    }

    /// Another spelling of a path could not be verified: the provider signs the path it calls.
    @Test(arguments: [
        ("/ipn/a", "a"), ("/ipn/b", "b"), ("/ipn/a/", nil), ("/ipn", nil), ("/IPN/a", nil),
        ("/ipn/%61", nil), ("", nil), ("//ipn/a", nil),
    ])
    func `paths match byte for byte`(_ path: String, _ name: String?) throws {
        let table = EndpointTable(
            [try Self.endpoint("a", path: "/ipn/a"), try Self.endpoint("b", path: "/ipn/b")],
            inspectedBytesMax: 65_536)
        #expect(table[Array(path.utf8)[...]]?.name == name)
    }

    @Test func `the signed path is the public one`() throws {
        let rewritten = try Self.endpoint("a", path: "/ipn/a", publicPath: "/pay/a")
        #expect(rewritten.signedPath == Array("/pay/a".utf8)[...])
        #expect(try Self.endpoint("a", path: "/ipn/a").signedPath == Array("/ipn/a".utf8)[...])
    }

    @Test func `an endpoint admits only the networks that it names`() throws {
        let open = try Self.endpoint("a", path: "/a")
        #expect(open.admits(IPAddress("203.0.113.7")) && open.admits(nil))
        let closed = try Self.endpoint("a", path: "/a", allow: ["203.0.113.0/24", "2001:db8::/32"])
        #expect(closed.admits(IPAddress("203.0.113.7")))
        #expect(closed.admits(IPAddress("2001:db8::1")))
        #expect(!closed.admits(IPAddress("203.0.114.7")))
        #expect(!closed.admits(nil), "nobody can say where this comes from")
    }
}
