import Testing

@testable import HTTP

@Suite struct HostRulesTests {
    @Test(arguments: [
        "a", "a.", "A-b_c~d", "192.0.2.1", "[::]", "[2001:db8::1]:443", "a:", "a:0", "a:65535",
        "xn--caf-dma.example", "a%20b", "!$&'()*+;=",
    ])
    func `are valid`(_ host: String) {
        let isValid = HostRules.isValid(latin1(host).span)
        #expect(isValid)
    }

    @Test(arguments: [
        "", ":", ":1", "a:65536", "a:1:2", "a:1x", "[::1", "::1]", "[::1]]", "[::1]1", "[a]", "[:]",
        "a/b", "a?b", "a#b", "a@b", "a,b", "a b", "a\\b", "a\"", "%", "a%g0", "\u{E9}", "[::1]:x",
        "a[::1]",
    ])
    func `are refused`(_ host: String) {
        let isValid = HostRules.isValid(latin1(host).span)
        #expect(!isValid)
    }
}
