import Testing

@testable import HTTP

@Suite struct ResponseEncoderTests {
    private static func encode(
        _ response: Response, omitBody: Bool = false, close: Bool = false, date: String = "",
        version: Version = .http11
    ) -> String {
        var output: [UInt8] = []
        ResponseEncoder.encode(
            response, omitBody: omitBody, close: close, date: latin1(date), version: version,
            into: &output)
        return text(output)
    }

    @Test func `have a golden form`() {
        let response = Response(
            status: 200, fields: [("Content-Type", "text/plain")], body: latin1("ok"))
        #expect(
            Self.encode(response, date: "Sun, 06 Nov 1994 08:49:37 GMT")
                == "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nok")
    }

    @Test func `append to what is there`() {
        var output = latin1("before")
        ResponseEncoder.encode(
            Response(status: 204), omitBody: false, close: false, date: [], into: &output)
        #expect(text(output) == "beforeHTTP/1.1 204 No Content\r\n\r\n")
    }

    @Test func `say that the connection closes`() {
        #expect(
            Self.encode(Response(status: 400), close: true)
                == "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }

    /// An HTTP/1.0 client that asked for keep-alive waits for the end of the connection unless the
    /// answer confirms it.
    @Test func `tell an HTTP/1.0 client that the connection stays`() {
        let answer = Self.encode(Response(status: 200), version: .http10)
        #expect(answer.contains("\r\nConnection: keep-alive\r\n"))
        let last = Self.encode(Response(status: 200), close: true, version: .http10)
        #expect(last.contains("\r\nConnection: close\r\n"))
        #expect(!last.contains("keep-alive"))
    }

    @Test func `keep the length without the body for HEAD`() {
        let answer = Self.encode(Response(status: 200, body: latin1("hello")), omitBody: true)
        #expect(answer == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
    }

    @Test(arguments: [204, 304])
    func `have neither length nor body where there is none`(_ status: Int) {
        let answer = Self.encode(Response(status: status, body: latin1("hello")))
        #expect(!answer.contains("Content-Length") && answer.hasSuffix("\r\n\r\n"))
    }

    @Test func `have an empty body with 205`() {
        let answer = Self.encode(Response(status: 205, body: latin1("hello")))
        #expect(answer == "HTTP/1.1 205 \r\nContent-Length: 0\r\n\r\n")
    }

    @Test(arguments: [
        ("X\r\nSet-Cookie", "a"), ("X", "a\r\nSet-Cookie: b"), ("X", "a\nb"), ("X", "a\rb"),
        ("X", "a\0b"), ("X", "\u{7F}"), ("", "a"), ("X Y", "a"), ("X:", "a"), ("É", "a"),
        ("Content-Length", "5"), ("transfer-encoding", "chunked"), ("CONNECTION", "close"),
        ("Date", "today"),
    ])
    func `leave out fields that would inject or contradict`(_ name: String, _ value: String) {
        #expect(!ResponseEncoder.isSendable(name: name, value: value))
        let answer = Self.encode(Response(status: 200, fields: [(name, value), ("Z", "z")]))
        #expect(answer == "HTTP/1.1 200 OK\r\nZ: z\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func `leave out a date that is none`() {
        #expect(!Self.encode(Response(status: 200), date: "a\r\nb: c").contains("Date"))
    }

    @Test(arguments: [0, -1, 99, 100, 101, 199, 600, 1000, Int.max, Int.min])
    func `never have a status that is no final one`(_ status: Int) {
        #expect(Self.encode(Response(status: status)).hasPrefix("HTTP/1.1 500 Internal"))
    }

    @Test(arguments: [200, 201, 204, 205, 304, 503, 1000], [true, false])
    func `are the same when they are prepared`(_ status: Int, _ close: Bool) {
        let response = Response(
            status: status, fields: [("Content-Type", "text/plain"), ("Bad\n", "x")],
            body: latin1("hello"))
        for version in [Version.http10, .http11] {
            for omitBody in [true, false] {
                let answers = [response, response.prepared()].map {
                    Self.encode(
                        $0, omitBody: omitBody, close: close, date: "today", version: version)
                }
                #expect(answers[0] == answers[1])
            }
        }
    }

    @Test func `are not those of before a change`() {
        let answer = "HTTP/1.1 404 Not Found\r\nA: b\r\nContent-Length: 2\r\n\r\nno"
        var first = Response(status: 204).prepared()
        first.status = 404
        first.fields = [("A", "b")]
        first.body = latin1("no")
        #expect(Self.encode(first) == answer)
        var second = Response(status: 404, fields: [("A", "b")]).prepared()
        second.body = latin1("no")
        #expect(Self.encode(second) == answer)
    }

    @Test func `of a stream are not prepared`() {
        var response = Response(status: 200)
        response.stream = { _ in }
        #expect(Self.encode(response.prepared(), version: .http11).contains("chunked"))
        #expect(!Self.encode(response.prepared(), version: .http10).contains("chunked"))
        var late = Response(status: 200).prepared()
        late.stream = { _ in }
        #expect(Self.encode(late).contains("chunked"))
    }

    @Test func `continue is an interim answer without fields`() {
        #expect(text(ResponseEncoder.continueBytes) == "HTTP/1.1 100 Continue\r\n\r\n")
    }
}
