import Testing

@testable import HTTP

@Suite struct RequestParserTests {
    private var parser = RequestParser(limits: Limits())

    private static let post = "POST /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"

    private mutating func feed(_ stream: String) throws -> Int {
        try parser.feed(latin1(stream).span)
    }

    @Test mutating func `stops at the end of a request`() throws {
        let consumed = try feed(Self.post + "helloGET / HTTP/1.1\r\n")
        #expect(consumed == (Self.post + "hello").utf8.count)
        #expect(parser.status == .complete)
        #expect(try feed("GET") == 0)
        #expect(text(parser.takeRequest().body) == "hello")
        #expect(parser.status == .needsBytes)
        #expect(!parser.hasBegun)
    }

    @Test mutating func `stops behind the blank line when there is no body`() throws {
        let head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(try feed(head + head) == head.utf8.count)
    }

    @Test mutating func `hands over everything as received`() throws {
        _ = try feed(
            "POST /a%2f?b=%20&c HTTP/1.1\r\nHoSt: A\r\nX-Y:  v \t w \r\nx-y:\r\n"
                + "Content-Length: 2\r\n\r\n\0\n"
        )
        let request = parser.takeRequest()
        #expect(request.method == .post)
        #expect(request.version == .http11)
        #expect(request.keepAlive)
        #expect(text(request.target) == "/a%2f?b=%20&c")
        #expect(text(request.path) == "/a%2f")
        #expect(request.query.map(text) == "b=%20&c")
        #expect(request.fields.map { text($0.name) } == ["HoSt", "X-Y", "x-y", "Content-Length"])
        #expect(request.fields.map { text($0.value) } == ["A", "v \t w", "", "2"])
        #expect(request.values("x-y").map { text($0) } == ["v \t w", ""])
        #expect(request.values("x").isEmpty)
        #expect(request.body == [0, 10])
    }

    @Test mutating func `begins with the request line and not with an empty line`() throws {
        #expect(!parser.hasBegun)
        _ = try feed("\r\n")
        #expect(!parser.hasBegun)
        _ = try feed("G")
        #expect(parser.hasBegun)
        #expect(!parser.isInBody)
    }

    @Test mutating func `tells head from body`() throws {
        _ = try feed(Self.post)
        #expect(parser.hasBegun && parser.isInBody)
        _ = try feed("hell")
        #expect(parser.isInBody)
        _ = try feed("o")
        #expect(!parser.isInBody && parser.status == .complete)
    }

    @Test mutating func `asks for continue only before the body`() throws {
        let head = Self.post.replacing("\r\n\r\n", with: "\r\nExpect: 100-continue\r\n\r\n")
        _ = try feed(head)
        #expect(parser.status == .expectsContinue)
        _ = try feed("")
        #expect(parser.status == .expectsContinue)
        _ = try feed("h")
        #expect(parser.status == .needsBytes)
        _ = try feed("ello")
        _ = parser.takeRequest()
        _ = try feed(head + "h")
        #expect(parser.status == .needsBytes)
    }

    @Test mutating func `stays refused with the same error`() throws {
        let first = #expect(throws: HTTPError.self) { try parser.feed(latin1("\0").span) }
        let second = #expect(throws: HTTPError.self) {
            try parser.feed(latin1("GET / HTTP/1.1\r\nHost: a\r\n\r\n").span)
        }
        #expect(first == second)
        #expect(first == HTTPError(.methodInvalid))
        #expect(parser.status == .needsBytes)
    }

    /// The answer to a refused HEAD has no body, so the method must be available before the rest
    /// is.
    @Test mutating func `knows the method of a refused request`() throws {
        #expect(parser.method == nil)
        _ = try feed("HEA")
        #expect(parser.method == nil)
        #expect(throws: HTTPError.self) { try parser.feed(latin1("D /\0").span) }
        #expect(parser.method == .head)
    }

    @Test mutating func `names an unknown method`() throws {
        #expect(throws: HTTPError(.methodNotAllowed)) {
            try parser.feed(latin1("PATCH / HTTP/1.1\r\nHost: a\r\n\r\n").span)
        }
        #expect(parser.method == .other("PATCH"))
        #expect(parser.method?.name == "PATCH")
    }

    /// Refused exactly at this byte: without the last byte there is no error yet.
    @Test(arguments: [
        "\0", "GET\t", "GET /\u{80}", "GET / HTTP/1.1\n", "GET / HTTP/2.0\r\n",
        "GET / HTTP/1.1\r\nA ",
        "GET / HTTP/1.1\r\nA: b\n", "GET / HTTP/1.1\r\nA: b\rc", "GET / HTTP/1.1\r\nA: 012345678\0",
        "GET / HTTP/1.1\r\nA\r", "GET / HTTP/1.1\r\n ", "GET / HTTP/1.1\r\nHost: a\r\n\rX",
    ])
    func `refuses at the first wrong byte`(_ stream: String) throws {
        var parser = RequestParser(limits: Limits())
        let bytes = latin1(stream)
        let good = bytes.count - 1
        #expect(try parser.feed(bytes.span.extracting(first: good)) == good)
        #expect(throws: HTTPError.self) { try parser.feed(bytes.span.extracting(last: 1)) }
    }

    @Test mutating func `reserves only a little on a claim`() throws {
        _ = try feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n")
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        #expect(try parser.feed(piece.span) == 1 << 20)
        #expect(parser.takeRequest().body == piece)
    }

    @Test mutating func `mixes nothing between requests`() throws {
        _ = try feed(Self.post.replacing("Host", with: "Connection: close\r\nHost") + "hello")
        #expect(!parser.takeRequest().keepAlive)
        _ = try feed("GET / HTTP/1.1\r\nHost: b\r\n\r\n")
        let second = parser.takeRequest()
        #expect(second.keepAlive && second.body.isEmpty && second.query == nil)
        #expect(second.fields.count == 1)
    }
}
