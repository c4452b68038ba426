import Bytes
import Foundation
import Platform
import TestSupport
import Testing
import WebClient

/// Requests over plain connections to a server on loopback.
@Suite struct WebClientTests {
    private let client = WebClient()

    private static func request(
        _ port: UInt16, _ change: (inout WebRequest) throws -> Void = { _ in }
    ) throws -> WebRequest {
        var request = WebRequest(
            "POST", try WebURL("http://127.0.0.1:\(port)/hook"),
            headers: [Header("content-type", "application/json")], body: Array("{}".utf8))
        request.route.proxy = .direct
        // libcurl uses real time: a busy machine may be slow, which must not fail tests that are
        // not about time.
        request.limits.connectMillisecondsMax = 60_000
        request.limits.exchangeMillisecondsMax = 60_000
        try change(&request)
        return request
    }

    private func failure(
        _ server: LocalServer, _ change: (inout WebRequest) -> Void = { _ in }
    ) async throws -> WebFailure {
        let request = try Self.request(server.port, change)
        return try await #require(throws: WebFailure.self) { try await client.send(request) }
    }

    @Test func `an answer has status headers and body`() async throws {
        let server = try LocalServer(
            answering: "HTTP/1.1 100 Continue\r\nRetry-After: 1\r\n\r\n"
                + LocalServer.answer(503, "Retry-After:  7 \r\nX-Empty:\r\n", body: "later"))
        let answer = try await client.send(Self.request(server.port))
        #expect(answer.status == 503)
        #expect(answer.body == Array("later".utf8))
        #expect(answer.header("retry-after") == "7")
        #expect(answer.header("x-empty") == "")
        // The interim answer's field is not part of the final one.
        #expect(answer.headers.filter { $0.isNamed("retry-after") }.count == 1)
        #expect(answer.version == "1.1" && answer.latencyMicroseconds > 0)
        let head = try #require(server.requests.first)
        #expect(head.hasPrefix("POST /hook HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
        #expect(head.contains("User-Agent: ipnd\r\n") && head.contains("Content-Length: 2"))
        #expect(!head.contains("Expect") && !head.contains("form"))
    }

    @Test func `a connection is kept for the next request`() async throws {
        let server = try LocalServer(answering: LocalServer.answer())
        var opened = 0
        for _ in 0..<20 {
            let answer = try await client.send(Self.request(server.port))
            if answer.usedNewConnection { opened += 1 }
        }
        #expect(opened == 1 && server.connections == 1 && server.requests.count == 20)
    }

    /// libcurl's handles are reused without a reset if only headers and body differ.
    @Test func `a request carries nothing of the one before`() async throws {
        let server = try LocalServer(answering: LocalServer.answer(body: "twelve bytes"))
        let long = try Self.request(server.port) {
            $0.headers = [Header("x-first", "1")]
            $0.body = Array(repeating: UInt8(ascii: "x"), count: 5000)
        }
        let empty = try Self.request(server.port) { $0.body = [] }
        let put = try Self.request(server.port) { $0.method = "PUT" }
        let get = try Self.request(server.port) {
            $0.method = "GET"
            $0.body = []
        }
        let strict = try Self.request(server.port) { $0.limits.bodyBytesMax = 11 }
        let expected = [
            (long, "POST", "5000"), (empty, "POST", "0"), (put, "PUT", "2"), (get, "GET", nil),
            (strict, "POST", "2"), (long, "POST", "5000"), (get, "GET", nil), (put, "PUT", "2"),
        ]
        for (index, (request, method, length)) in expected.enumerated() {
            let answer = try? await client.send(request)
            #expect((answer == nil) == (request.limits == strict.limits))
            let lines = server.requests[index].split(separator: "\r\n")
            #expect(lines[0] == "\(method) /hook HTTP/1.1")
            let found = lines.first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
            #expect(found.map(String.init) == length, "\(lines)")
            #expect(lines.contains("x-first: 1") == (request.body.count == 5000))
        }
    }

    @Test func `many requests run at once`() async throws {
        let server = try LocalServer(answering: LocalServer.answer())
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask { try await client.send(Self.request(server.port)).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 200))
        #expect(server.requests.count == 200)
    }

    @Test func `a redirect is an answer and not followed`() async throws {
        let target = try LocalServer(answering: LocalServer.answer())
        let server = try LocalServer(
            answering: LocalServer.answer(
                308, "Location: http://127.0.0.1:\(target.port)/other\r\n"))
        #expect(try await client.send(Self.request(server.port)).status == 308)
        #expect(target.connections == 0)
    }

    @Test func `an announced gigabyte is not read`() async throws {
        let server = try LocalServer { peer in
            _ = peer.readRequest()
            peer.write("HTTP/1.1 200 X\r\nContent-Length: 1073741824\r\n\r\n")
            peer.awaitEnd()
        }
        let failure = try await failure(server)
        #expect(failure.reason == .answerTooLong && failure.status == 200)
    }

    @Test func `an endless answer ends at the limit`() async throws {
        let sent = Box(0)
        let server = try LocalServer { peer in
            _ = peer.readRequest()
            peer.write("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "10000\r\n" + String(repeating: "x", count: 65536) + "\r\n"
            while peer.write(chunk) { sent.update { $0 += 65536 } }
        }
        let failure = try await failure(server) {
            $0.limits.bodyBytesMax = 300_000
            $0.limits.keptBytesMax = 10
            $0.limits.exchangeMillisecondsMax = 60_000
        }
        #expect(failure.reason == .answerTooLong && failure.status == 200)
        #expect(failure.detail.contains("300000 bytes"), "\(failure)")
        #expect(failure.body == Array(repeating: UInt8(ascii: "x"), count: 10))
        // The content of two sockets' buffers, and not the gigabytes of a minute.
        #expect(sent.get() < 64 << 20, "\(sent.get())")
    }

    /// The length is not announced, so only the count of received bytes can exceed the limit.
    @Test(arguments: [(300_000, nil), (300_001, .answerTooLong)] as [(Int, WebFailure.Reason?)])
    func `the last byte that fits is taken`(_ count: Int, _ reason: WebFailure.Reason?) async throws
    {
        let text =
            "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "\(String(count, radix: 16))\r\n\(String(repeating: "x", count: count))\r\n0\r\n\r\n"
        let server = try LocalServer(answering: text)
        let request = try Self.request(server.port) { $0.limits.bodyBytesMax = 300_000 }
        do throws(WebFailure) {
            let answer = try await client.send(request)
            #expect(reason == nil && answer.bodyByteCount == count)
        } catch {
            #expect(error.reason == reason, "\(error)")
        }
    }

    @Test func `an endless head ends at the limit`() async throws {
        let server = try LocalServer { peer in
            _ = peer.readRequest()
            peer.write("HTTP/1.1 200 X\r\n")
            while peer.write("x-more: \(String(repeating: "y", count: 1000))\r\n") {}
        }
        #expect(try await failure(server).reason == .answerTooLong)
    }

    @Test func `a slow drip ends with the time`() async throws {
        let server = try LocalServer { peer in
            _ = peer.readRequest()
            peer.write("HTTP/1.1 200 X\r\nContent-Length: 100000\r\n\r\n")
            while peer.write("x") { poll(nil, 0, 20) }
        }
        // libcurl uses real time. On a busy machine even the status may arrive too late for the
        // first limits.
        var status: Int?
        for limit in [300, 1000, 5000, 20_000] where status == nil {
            let failure = try await failure(server) { $0.limits.exchangeMillisecondsMax = limit }
            #expect(failure.reason == .timeout)
            status = failure.status
        }
        #expect(status == 200)
    }

    @Test func `silence ends with the time`() async throws {
        let server = try LocalServer { $0.awaitEnd() }
        let failure = try await failure(server) { $0.limits.exchangeMillisecondsMax = 500 }
        #expect(failure.reason == .timeout && failure.status == nil)
    }

    @Test func `what breaks is named`() async throws {
        let cases: [(WebFailure.Reason, @Sendable (Peer) -> Void)] = [
            (
                .reset,
                { peer in
                    _ = peer.readRequest(); peer.reset()
                }
            ),
            (.reset, { peer in _ = peer.readRequest() }),
            (
                .reset,
                { peer in
                    _ = peer.readRequest()
                    peer.write("HTTP/1.1 200 X\r\nContent-Length: 10\r\n\r\nhalf")
                }
            ),
            (
                .answerMalformed,
                { peer in
                    _ = peer.readRequest()
                    peer.write("SSH-2.0-OpenSSH_9.2\r\n\r\n")
                }
            ),
            (
                .answerMalformed,
                { peer in
                    _ = peer.readRequest()
                    peer.write("HTTP/1.1 200 X\r\nContent-Length: ten\r\n\r\n")
                }
            ),
        ]
        for (reason, play) in cases {
            let server = try LocalServer(play)
            let failure = try await failure(server)
            #expect(failure.reason == reason, "\(failure)")
        }
    }

    @Test func `a closed port and an unknown name are named`() async throws {
        let port: UInt16
        do { port = try LocalServer(answering: "").port }
        let refused = try await #require(throws: WebFailure.self) {
            try await client.send(Self.request(port))
        }
        #expect(refused.reason == .connectRefused, "\(refused)")
        let unknown = try await #require(throws: WebFailure.self) {
            try await client.send(
                Self.request(1) { $0.url = try WebURL("http://nobody.invalid/") })
        }
        #expect(unknown.reason == .nameUnresolved, "\(unknown)")
    }

    @Test func `a header with a line break is not sent`() async throws {
        let server = try LocalServer(answering: LocalServer.answer())
        let failure = try await failure(server) { $0.headers = [Header("x-a", "b\r\nx-c: d")] }
        #expect(failure.reason == .requestInvalid)
        #expect(server.connections == 0)
    }

    @Test func `a cancelled task ends at once`() async throws {
        let server = try LocalServer { $0.awaitEnd() }
        let task = Task { try await client.send(Self.request(server.port)) }
        #expect(await eventuallyYielding { server.connections == 1 })
        task.cancel()
        let failure = try await #require(throws: WebFailure.self) { try await task.value }
        #expect(failure.reason == .canceled)
        let before = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.send(Self.request(server.port))
        }
        let early = try await #require(throws: WebFailure.self) { try await before.value }
        #expect(early.reason == .canceled)
    }

    @Test func `closing ends what is under way`() async throws {
        let server = try LocalServer { $0.awaitEnd() }
        let client = WebClient()
        let request = try Self.request(server.port)
        let task = Task { try await client.send(request) }
        #expect(await eventuallyYielding { server.connections == 1 })
        client.close()
        let failure = try await #require(throws: WebFailure.self) { try await task.value }
        #expect(failure.reason == .canceled)
        let late = try await #require(throws: WebFailure.self) { try await client.send(request) }
        #expect(late.reason == .canceled)
    }
}
