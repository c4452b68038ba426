import HTTP
import Platform
import Testing

@testable import HTTPServer

/// The list is read from the right; each entry counts if the proxy after it is trusted.
@Suite struct ForwardedAddressTests {
    private static let proxy = ["10.0.0.0/8", "2001:db8:a::/48"].compactMap(IPNetwork.init)

    private func client(
        _ header: ProxySettings.Header?, _ lines: [String], peer: String = "10.0.0.1:9"
    )
        throws -> String?
    {
        var parser = RequestParser(limits: Limits())
        let name = header?.rawValue ?? "x-forwarded-for"
        let fields = lines.map { "\(name): \($0)\r\n" }.joined()
        _ = try parser.feed(Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8).span)
        return ForwardedAddress.client(
            of: parser.takeRequest(), peer: try #require(SocketAddress(peer)),
            proxy: ProxySettings(trusted: Self.proxy, header: header)
        )?.description
    }

    @Test(arguments: [
        (["203.0.113.7"], "203.0.113.7"),
        (["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
        (["203.0.113.7, 10.0.0.2"], "203.0.113.7"),
        (["6.6.6.6, 203.0.113.7,10.0.0.2 ,\t10.0.0.3"], "203.0.113.7"),
        (["6.6.6.6", "203.0.113.7", "10.0.0.2"], "203.0.113.7"),
        (["203.0.113.7:1234"], "203.0.113.7"),
        (["2001:db8::7"], "2001:db8::7"),
        (["[2001:db8::7]"], "2001:db8::7"),
        (["[2001:db8::7]:80"], "2001:db8::7"),
        (["::ffff:203.0.113.7"], "203.0.113.7"),
        (["203.0.113.7, 2001:db8:a::1"], "203.0.113.7"),
        (["10.0.0.4, 10.0.0.3"], "10.0.0.4"),
        // An invalid address ends the search at the proxy that reported the last valid one.
        (["203.0.113.7, unknown, 10.0.0.2"], "10.0.0.2"),
        (["203.0.113.7,, 10.0.0.2"], "10.0.0.2"),
        (["203.0.113.7, 10.0.0.999"], "10.0.0.1"),
        ([""], "10.0.0.1"), ([], "10.0.0.1"),
    ])
    func `forwarded for is read from the right`(_ lines: [String], _ expected: String) throws {
        #expect(try client(.forwardedFor, lines) == expected)
    }

    @Test(arguments: [
        (["for=203.0.113.7"], "203.0.113.7"),
        (["For=\"203.0.113.7:4711\";proto=https"], "203.0.113.7"),
        (["by=10.0.0.1; FOR=203.0.113.7 ;host=a"], "203.0.113.7"),
        (["for=6.6.6.6, for=203.0.113.7", "for=10.0.0.2"], "203.0.113.7"),
        (["for=\"[2001:db8::7]:80\""], "2001:db8::7"),
        (["for=\"[2001:db8::7]\""], "2001:db8::7"),
        (["for=203.0.113.7, for=_hidden"], "10.0.0.1"),
        (["for=203.0.113.7, for=unknown, for=10.0.0.5"], "10.0.0.5"),
        (["proto=https"], "10.0.0.1"),
    ])
    func `forwarded is read from the right`(_ lines: [String], _ expected: String) throws {
        #expect(try client(.forwarded, lines) == expected)
    }

    @Test func `nobody's word counts unless it is a proxys`() throws {
        #expect(try client(.forwardedFor, ["203.0.113.7"], peer: "192.0.2.1:9") == "192.0.2.1")
        #expect(try client(nil, ["203.0.113.7"]) == "10.0.0.1")
    }

    @Test func `a unix peer vouches where a header is set`() throws {
        #expect(try client(.forwardedFor, ["203.0.113.7"], peer: "unix:/x") == "203.0.113.7")
        #expect(try client(nil, ["203.0.113.7"], peer: "unix:/x") == nil)
    }
}
