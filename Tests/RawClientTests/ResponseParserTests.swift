import Testing

@testable import RawClient

@Suite struct ResponseParserTests {
    private func parse(
        _ text: String, ends: Bool = false, head: Bool = false, limits: ClientLimits = .init()
    ) throws(ClientError) -> ReceivedResponse? {
        var parser = ResponseParser(limits: limits, answersHead: head)
        if let response = try parser.feed(Array(text.utf8)) { return response }
        return ends ? try parser.end() : nil
    }

    private func error(_ text: String, ends: Bool = false) -> ClientError? {
        do throws(ClientError) {
            _ = try parse(text, ends: ends)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", true),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, "", true),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, "", true),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x", false),
        ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx", 200, "x", true),
        ("HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", 503, "x", false),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2;a=b\r\nok\r\n1\r\n!\r\n0\r\nT: 1\r\n\r\n",
            200, "ok!", true
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny", 200, "y",
            true
        ),
        ("HTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 N\r\n\r\n", 204, "", true),
    ])
    func `every framing is read in any split`(
        _ text: String, _ status: Int, _ body: String, _ keepsAlive: Bool
    ) throws {
        let whole = try #require(try parse(text))
        #expect(whole.status == status)
        #expect(whole.body == Array(body.utf8))
        #expect(whole.keepsAlive == keepsAlive)
        var parser = ResponseParser()
        var found: ReceivedResponse?
        for byte in text.utf8 {
            #expect(found == nil, "whole before its last byte")
            found = try parser.feed(CollectionOfOne(byte))
        }
        #expect(found == whole)
    }

    @Test func `a body without length ends with the connection`() throws {
        let text = "HTTP/1.1 200 OK\r\n\r\nhello"
        #expect(try parse(text) == nil)
        let response = try #require(try parse(text, ends: true))
        #expect(response.body == Array("hello".utf8))
        #expect(!response.keepsAlive)
    }

    @Test func `the answer to AHEAD has no body`() throws {
        let response = try parse("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", head: true)
        #expect(response?.body == [])
    }

    @Test func `headers keep their order and spelling`() throws {
        let response = try parse(
            "HTTP/1.1 200 OK\r\nX-B:  1 \t\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n")
        #expect(response?.fields.map(\.name) == ["X-B", "x-a", "Content-Length"])
        #expect(response?.value("x-b") == "1")
    }

    @Test(arguments: [
        "HTTP/2 200 OK\r\n\r\n", "HTTP/1.2 200 OK\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 999 OK\r\n\r\n",
        "ICY 200 OK\r\n\r\n", "\r\n\r\n", "HTTP/1.1 101 Switch\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\n folded: x\r\n\r\n", "HTTP/1.1 200 OK\r\nName : x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nName\r\n\r\n", "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nA: \u{1}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
    ])
    func `what is no HTTP is refused`(_ text: String) {
        guard case .malformed = error(text) else {
            Issue.record("\(String(describing: error(text)))")
            return
        }
    }

    @Test(arguments: [
        ("", 0), ("HTTP/1.1 200", 12), ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", 41),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", 52),
    ])
    func `an answer that is cut short is none`(_ text: String, _ count: Int) {
        #expect(error(text, ends: true) == .closed(afterBytes: count))
    }

    @Test func `limits hold`() {
        var limits = ClientLimits()
        limits.bodyBytesMax = 4
        limits.headBytesMax = 64
        let long = String(repeating: "x", count: 5)
        let texts = [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n\(long)",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n\(long)\r\n",
            "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 80))",
        ]
        for text in texts {
            #expect(throws: ClientError.self) { try parse(text, limits: limits) }
        }
    }

    @Test func `bytes behind the answer are surplus`() throws {
        var parser = ResponseParser()
        _ = try parser.feed(Array("HTTP/1.1 204 N\r\n\r\nHTTP/1.1".utf8))
        #expect(parser.surplus == 8)
    }
}
