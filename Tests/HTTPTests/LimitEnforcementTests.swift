import Testing

@testable import HTTP

/// Each limit at its value and one beyond it.
@Suite struct LimitEnforcementTests {
    private static func reason(_ stream: String, _ limits: Limits) -> String? {
        let outcomes = Split.all.map { EchoConnection(latin1(stream), split: $0, limits: limits) }
        let reasons = Set(outcomes.map { $0.answers.last?.reason })
        #expect(reasons.count == 1, "the split decides: \(reasons)")
        return outcomes[0].answers.last.map { $0.reason ?? "answered" }
    }

    private static func chunked(_ body: String, _ limits: Limits) -> String? {
        reason("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body, limits)
    }

    @Test func `request line`() {
        var limits = Limits()
        let line = "GET /a HTTP/1.1"
        let stream = line + "\r\nHost: a\r\n\r\n"
        limits.requestLineBytesMax = line.utf8.count
        #expect(Self.reason(stream, limits) == "answered")
        #expect(Self.reason("\r\n" + stream, limits) == "answered")
        limits.requestLineBytesMax -= 1
        #expect(Self.reason(stream, limits) == "request_line_too_long")
        #expect(Self.reason("\r\n" + stream, limits) == "request_line_too_long")
    }

    @Test(arguments: ["AAAAAAAAA", "GET AAAAAA", "GET /AAAAAA", "GET / HTTP/1.1"])
    func `endless request line is cut in every part`(_ line: String) {
        var limits = Limits()
        limits.requestLineBytesMax = 8
        #expect(Self.reason(line, limits) == "request_line_too_long")
    }

    @Test func `default request line`() {
        let target = "/" + String(repeating: "a", count: 8192 - "GET  HTTP/1.1".utf8.count - 1)
        let fits = "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(Self.reason(fits, Limits()) == "answered")
        let beyond = "GET \(target)a HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(Self.reason(beyond, Limits()) == "request_line_too_long")
    }

    @Test func head() {
        var limits = Limits()
        let stream = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "v", count: 90))\r\n\r\n"
        limits.headBytesMax = stream.utf8.count
        #expect(Self.reason(stream, limits) == "answered")
        #expect(Self.reason("\r\n" + stream, limits) == "answered")
        for less in [1, 2, 3, 4, 50, 95] {
            limits.headBytesMax = stream.utf8.count - less
            #expect(Self.reason(stream, limits) == "head_too_large")
        }
    }

    @Test func `endless field is cut before its line ends`() {
        let endless = "GET / HTTP/1.1\r\nX: " + String(repeating: "v", count: 20_000)
        #expect(Self.reason(endless, Limits()) == "head_too_large")
        let name = "GET / HTTP/1.1\r\n" + String(repeating: "n", count: 20_000)
        #expect(Self.reason(name, Limits()) == "head_too_large")
    }

    @Test func `field count`() {
        func head(_ count: Int) -> String {
            "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X:\r\n", count: count - 1) + "\r\n"
        }
        #expect(Self.reason(head(100), Limits()) == "answered")
        #expect(Self.reason(head(101), Limits()) == "fields_too_many")
    }

    @Test func body() {
        var limits = Limits()
        limits.bodyBytesMax = 3
        let stream = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "
        #expect(Self.reason(stream + "3\r\n\r\nabc", limits) == "answered")
        #expect(Self.reason(stream + "4\r\n\r\n", limits) == "body_too_large")
        #expect(Self.chunked("3\r\nabc\r\n0\r\n\r\n", limits) == "answered")
        #expect(Self.chunked("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", limits) == "answered")
        #expect(Self.chunked("4", limits) == "body_too_large")
        #expect(Self.chunked("1\r\na\r\n3", limits) == "body_too_large")
    }

    @Test func `chunk line`() {
        let longest = "1;" + String(repeating: "e", count: 254)
        #expect(Self.chunked(longest + "\r\nx\r\n0\r\n\r\n", Limits()) == "answered")
        #expect(Self.chunked(longest + "e", Limits()) == "chunk_line_too_long")
        let zeros = String(repeating: "0", count: 256)
        #expect(Self.chunked(zeros + "\r\n\r\n", Limits()) == "answered")
        #expect(Self.chunked(zeros + "0", Limits()) == "chunk_line_too_long")
    }

    @Test func `chunk overhead`() {
        var limits = Limits()
        limits.chunkOverheadBytesMax = 8
        let chunk = "1;ex\r\nx\r\n"
        #expect(Self.chunked(chunk + chunk + "01\r\nx\r\n0\r\n\r\n", limits) == "answered")
        #expect(Self.chunked(chunk + chunk + "1;e\r\n", limits) == nil)
        #expect(Self.chunked(chunk + chunk + "1;ex", limits) == "chunk_overhead_too_large")
        #expect(Self.chunked("1;ex00000", limits) == nil)
        #expect(Self.chunked("1;ex000000", limits) == "chunk_overhead_too_large")
    }

    @Test func `sizes themselves are no overhead`() {
        var limits = Limits()
        limits.chunkOverheadBytesMax = 1
        let body = String(repeating: "1\r\nx\r\n", count: 100) + "0\r\n\r\n"
        #expect(Self.chunked(body, limits) == "answered")
    }

    @Test func trailer() {
        var limits = Limits()
        let section = "A: \(String(repeating: "v", count: 2000))\r\nB: c\r\n\r\n"
        limits.trailerBytesMax = section.utf8.count
        #expect(Self.chunked("0\r\n" + section, limits) == "answered")
        limits.trailerBytesMax -= 1
        #expect(Self.chunked("0\r\n" + section, limits) == "trailer_too_large")
    }

    @Test func `trailer field count`() {
        let hundred = "0\r\n" + String(repeating: "X:\r\n", count: 100)
        #expect(Self.chunked(hundred + "\r\n", Limits()) == "answered")
        #expect(Self.chunked(hundred + "X", Limits()) == "fields_too_many")
    }
}
