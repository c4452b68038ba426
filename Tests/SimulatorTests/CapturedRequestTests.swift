import Testing

@testable import Simulator

@Suite struct CapturedRequestTests {
    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: ["\r\n", "\n"])
    func `a raw request is parsed`(_ newline: String) throws {
        let raw = ["POST /ipn/a?b=c HTTP/1.1", "Host: h", "X-B:  two words ", "", "{\"a\": 1}\r\n"]
            .joined(separator: newline)
        let request = try #require(CapturedRequest(raw: Array(raw.utf8)))
        #expect(request.method == "POST")
        #expect(text(request.path) == "/ipn/a")
        #expect(request.query.map(text) == "b=c")
        #expect(request.headers.map { text($0.name) } == ["Host", "X-B"])
        #expect(request.headers.map { text($0.value) } == ["h", "two words"])
        #expect(request.body == Array("{\"a\": 1}\r\n".utf8))
    }

    @Test(arguments: [
        "", "POST /\r\n\r\n", "POST / HTTPS/1\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\n",
        "POST / HTTP/1.1\r\nnothing\r\n\r\n", " / HTTP/1.1\r\n\r\n", "{}",
    ])
    func `other bytes are not a request`(_ raw: String) {
        #expect(CapturedRequest(raw: Array(raw.utf8)) == nil)
    }

    /// As capture tools print requests over HTTP/2 or 3. They are sent as HTTP/1.1.
    @Test(arguments: ["HTTP/2", "HTTP/2.0", "HTTP/3"])
    func `a request line of a newer version is parsed`(_ version: String) throws {
        let raw = Array("POST /a \(version)\r\nhost: h\r\n\r\n{}".utf8)
        let request = try #require(CapturedRequest(raw: raw))
        #expect(text(request.path) == "/a" && request.body == Array("{}".utf8))
        #expect(!CapturedRequest.isHTTP1(raw: raw))
        let sent = String(decoding: request.wireBytes(host: "h"), as: UTF8.self)
        #expect(sent.hasPrefix("POST /a HTTP/1.1\r\n"))
        #expect(CapturedRequest.isHTTP1(raw: Array(sent.utf8)))
    }

    @Test func `a captured request is sent unchanged`() {
        let raw = "POST /a HTTP/1.1\r\nhOst: h\r\nX: 1\r\nContent-Length: 2\r\n\r\nhi"
        let request = CapturedRequest(raw: Array(raw.utf8))
        #expect(request?.wireBytes(host: "other") == Array(raw.utf8))
    }
}
