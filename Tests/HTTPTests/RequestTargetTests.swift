import Testing

@testable import HTTP

@Suite struct RequestTargetTests {
    private static func request(_ target: String) throws -> Request {
        var parser = RequestParser(limits: Limits())
        _ = try parser.feed(latin1("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").span)
        return parser.takeRequest()
    }

    @Test(
        arguments: [
            ("/", "/", "/", nil), ("/a", "/a", "/a", nil), ("/?", "/?", "/", ""),
            ("/a?b?c", "/a?b?c", "/a", "b?c"), ("http://a", "/", "/", nil),
            ("http://a?", "/?", "/", ""), ("http://a?b=c", "/?b=c", "/", "b=c"),
            ("http://a/b?c", "/b?c", "/b", "c"), ("https://A/%41", "/%41", "/%41", nil),
        ] as [(String, String, String, String?)])
    func `have origin form path and query`(
        _ received: String, _ target: String, _ path: String, _ query: String?
    ) throws {
        let request = try Self.request(received)
        #expect(text(request.target) == target)
        #expect(text(request.path) == path)
        #expect(request.query.map { text($0) } == query)
    }

    @Test func `keep every character that is allowed`() throws {
        let target = "/-._~!$&'()*+,;=:@%41?-._~!$&'()*+,;=:@/?%7E"
        #expect(text(try Self.request(target).target) == target)
    }
}
