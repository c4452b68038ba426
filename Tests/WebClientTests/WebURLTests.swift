import Testing
import WebClient

@Suite struct WebURLTests {
    @Test func `the parts are read`() throws {
        let url = try WebURL("https://Shop.example:8443/hooks/pay?shop=1")
        #expect(url.origin == "https://Shop.example:8443")
        #expect(url.target == "/hooks/pay?shop=1")
        #expect(url.port == 8443 && url.usesTLS)
        #expect(try WebURL("http://shop.example").description == "http://shop.example/")
        #expect(try WebURL("https://[::1]/x").host == "::1")
        #expect(try WebURL("https://[::1]:9/x").origin == "https://[::1]:9")
    }

    /// A resolver reads all of these as 127.0.0.1, and so must the address check.
    @Test(arguments: ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.0.1"])
    func `numbers are addresses`(_ host: String) throws {
        #expect(try WebURL("http://\(host)/").address?.description == "127.0.0.1")
    }

    @Test(
        arguments: [
            ("ftp://shop.example/", .scheme), ("file:///etc/passwd", .scheme),
            ("gopher://x/", .scheme), ("https://user:pass@shop.example/", .credentials),
            ("https://user@shop.example/", .credentials),
            ("https://shop.example/#part", .fragment), ("shop.example", .form),
            ("https://", .form), ("https:///hooks", .form), ("https:/shop.example/", .form),
            ("", .form), ("https://shop.example/a b", .form),
            ("https://shop.example/\r\nx: y", .form), ("https://shop.example:0/", .form),
            ("https://shop.example:99999/", .form), ("https://schöp.example/", .form),
            ("https://[fe80::1%25eth0]/", .form), ("/hooks", .form),
        ] as [(String, WebURL.Mistake)])
    func `what cannot be called is refused`(_ text: String, _ mistake: WebURL.Mistake) {
        #expect(throws: mistake) { try WebURL(text) }
    }
}
