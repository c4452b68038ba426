import Platform
import Testing
import WebClient

@Suite struct AddressRulesTests {
    @Test(
        arguments: [
            "169.254.169.254", "169.254.0.1", "fe80::1", "0.0.0.0", "0.1.2.3", "::", "224.0.0.1",
            "ff02::1", "255.255.255.255", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200",
            "192.0.0.192", "168.63.129.16", "::ffff:169.254.169.254", "::169.254.169.254",
            "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "64:ff9b:1::a9fe:a9fe",
            "64:ff9b:1:a9fe:a9:fe00::", "::ffff:0:169.254.169.254", "::ffff:0:a9fe:a9fe",
            "2001:db8::5efe:169.254.169.254", "2001:db8::200:5efe:a9fe:a9fe",
            "2001:0:53aa:64c:0:fbff:5601:5601", "fd00:c1::a9fe:a9fe", "fd00:42::42",
            "fd00:a9fe:a9fe::1", "fd00:ec2::23", "fc00::1", "fdff::1", "fec0::1", "240.0.0.1",
            "192.0.0.1", "169.254.42.42",
        ])
    func `what no shop stands at is refused`(_ text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressRules().refusal(of: address) != nil)
        let network = try #require(IPNetwork(text))
        #expect(AddressRules(allowed: [network]).refusal(of: address) == nil)
    }

    @Test(
        arguments: [
            "127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "203.0.113.7",
            "2001:db8::1",
            "100.100.100.201", "64:ff9b::a00:1", "192.0.1.1", "::ffff:0:10.0.0.1",
            "2001:db8::200:5eff:a9fe:a9fe",
        ])
    func `loopback and private and public ones are fine`(_ text: String) throws {
        #expect(AddressRules().refusal(of: try #require(IPAddress(text))) == nil)
    }
}
