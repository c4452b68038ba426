import Testing

@testable import RawClient

@Suite struct DestinationTests {
    @Test(
        arguments: [
            ("http://127.0.0.1:8080", Destination.Place.host("127.0.0.1", port: 8080), false, nil),
            ("http://example.test", .host("example.test", port: 80), false, nil),
            ("HTTPS://example.test/ipn?a=1", .host("example.test", port: 443), true, "/ipn?a=1"),
            ("https://[::1]:8443/", .host("::1", port: 8443), true, "/"),
            ("http://[::1]", .host("::1", port: 80), false, nil),
            ("http://h?x=1", .host("h", port: 80), false, "/?x=1"),
            ("unix:/run/ipnd.sock", .unix(path: "/run/ipnd.sock"), false, nil),
            ("unix:/run/ipnd.sock:/ipn/antom", .unix(path: "/run/ipnd.sock"), false, "/ipn/antom"),
        ] as [(String, Destination.Place, Bool, String?)])
    func `a URL is taken apart`(
        _ text: String, _ place: Destination.Place, _ tls: Bool, _ target: String?
    ) {
        #expect(Destination(text) == Destination(place: place, usesTLS: tls, target: target))
    }

    @Test(arguments: [
        "", "127.0.0.1:8080", "ftp://h/", "http://", "http://:80", "http://h:0", "http://h:65536",
        "http://h:+1", "http://u:p@h/", "http://h/#f", "http://h /", "http://::1/", "http://[::1",
        "unix:run/x", "unix:/x:ipn", "http://h:/", "unix:/" + String(repeating: "x", count: 108),
    ])
    func `anything else is refused`(_ text: String) {
        #expect(Destination(text) == nil)
    }

    @Test(arguments: [
        ("http://h", "h"), ("http://h:80", "h"), ("https://h:80", "h:80"), ("https://h", "h"),
        ("http://[::1]:81", "[::1]:81"), ("unix:/x", "localhost"),
    ])
    func `the host header names the port unless it is the usual one`(
        _ url: String, _ authority: String
    ) {
        #expect(Destination(url)?.authority == authority)
    }

    @Test(arguments: ["http://h:81/x?y", "https://[::1]/", "unix:/a:/b", "unix:/a"])
    func `it is written as it was read`(_ url: String) {
        #expect(Destination(url)?.description == url)
    }
}
