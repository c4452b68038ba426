import Testing

@testable import Platform

@Suite struct IPNetworkTests {
    @Test func `every byte of an IPv4 address is written in decimal`() {
        for byte in UInt8.min...UInt8.max {
            #expect(IPAddress.v4([byte, 0, byte, 9]).description == "\(byte).0.\(byte).9")
        }
    }

    @Test(arguments: [
        ("127.0.0.1/32", "127.0.0.1", true), ("127.0.0.1/32", "127.0.0.2", false),
        ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false),
        ("10.0.0.77/8", "10.9.9.9", true), ("192.0.2.128/25", "192.0.2.127", false),
        ("192.0.2.128/25", "192.0.2.255", true), ("0.0.0.0/0", "203.0.113.9", true),
        ("0.0.0.0/0", "::1", false), ("::/0", "203.0.113.9", false), ("::/0", "2001:db8::1", true),
        ("2001:db8::/33", "2001:db8:7fff::", true), ("2001:db8::/33", "2001:db8:8000::", false),
        ("203.0.113.9", "203.0.113.9", true), ("::1", "::1", true), ("::1", "::2", false),
        ("192.0.2.0/24", "::ffff:192.0.2.7", true),
    ])
    func `contains what its prefix says`(_ network: String, _ address: String, _ expected: Bool)
        throws
    {
        let network = try #require(IPNetwork(network))
        let address = try #require(IPAddress(address))
        #expect(network.contains(address) == expected)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "::/129",
        "host/8", "10.0.0/8", " 10.0.0.0/8", "10.0.0.0/ 8",
    ])
    func `everything else is refused`(_ text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test func `a mapped address is the IPv4 address`() {
        #expect(IPAddress("::ffff:192.0.2.1") == IPAddress("192.0.2.1"))
        #expect(IPAddress("::fffe:192.0.2.1") != IPAddress("192.0.2.1"))
        #expect(IPAddress("2001:DB8::1")?.description == "2001:db8::1")
    }
}
