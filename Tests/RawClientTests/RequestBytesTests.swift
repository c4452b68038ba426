import Testing

@testable import RawClient

@Suite struct RequestBytesTests {
    private func encode(
        _ headers: [(String, String)], body: String = "", method: String = "POST"
    ) -> String {
        String(
            decoding: RequestBytes.encode(
                method: method, target: Array("/ipn?a=%2F".utf8)[...], host: "h:81",
                headers: headers.map { (Array($0.0.utf8)[...], Array($0.1.utf8)[...]) },
                body: Array(body.utf8)), as: UTF8.self)
    }

    @Test func `headers keep their order and spelling`() {
        #expect(
            encode([("X-B", "1"), ("client-ID", "2")], body: "hi")
                == "POST /ipn?a=%2F HTTP/1.1\r\nHost: h:81\r\nX-B: 1\r\nclient-ID: 2\r\n"
                + "Content-Length: 2\r\n\r\nhi")
    }

    @Test func `a host that is given stays`() {
        #expect(
            encode([("hOsT", "other")])
                == "POST /ipn?a=%2F HTTP/1.1\r\nhOsT: other\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func `what framed another connection is left out`() {
        let captured = [
            ("Transfer-Encoding", "chunked"), ("Expect", "100-continue"), ("Content-Length", "9"),
            ("Connection", "close"), ("a", "b"),
        ]
        #expect(
            encode(captured, body: "x")
                == "POST /ipn?a=%2F HTTP/1.1\r\nHost: h:81\r\na: b\r\nContent-Length: 1\r\n\r\nx")
    }

    @Test func `a GET without body has no length`() {
        #expect(encode([], method: "GET") == "GET /ipn?a=%2F HTTP/1.1\r\nHost: h:81\r\n\r\n")
    }
}
