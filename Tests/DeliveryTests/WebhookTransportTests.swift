import Bytes
import Foundation
import TestSupport
import Testing
import WebClient

@testable import Delivery

/// The outcome of one attempt, against a server on loopback.
@Suite struct WebhookTransportTests {
    /// Answers one request on each connection with `text`; if nil, waits until the client closes.
    private static func server(_ text: String?) throws -> LocalServer {
        try LocalServer { peer in
            guard peer.readRequest() != nil else { return }
            if let text { peer.write(text) } else { peer.awaitEnd() }
        }
    }

    private static func attempt(
        _ text: String?, timeoutSeconds: Double = 10, limits: DeliveryLimits = .init()
    ) async throws -> (AttemptOutcome, LocalServer) {
        let server = try Self.server(text)
        let client = WebClient()
        let transport = WebhookTransport(
            client, ["shop": try target(server.port, timeoutSeconds: timeoutSeconds)],
            limits: limits, clock: ManualClock(wallMicroseconds: 1_795_244_400_999_999))
        return (await transport.attempt(WebhookMessageTests.message()), server)
    }

    private static func target(
        _ port: UInt16, timeoutSeconds: Double = 10
    ) throws -> WebhookTarget {
        WebhookTarget(
            url: try WebURL("http://127.0.0.1:\(port)/hook"),
            signer: try WebhookMessageTests.signer(WebhookMessageTests.secret),
            headers: [Header("x-shop", "1")], route: WebRoute(proxy: .direct),
            timeoutSeconds: timeoutSeconds)
    }

    @Test func `an attempt is one signed POST`() async throws {
        let (outcome, server) = try await Self.attempt(LocalServer.answer(204))
        #expect(outcome.isSuccess && outcome.status == 204 && outcome.latencyMicroseconds > 0)
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("POST /hook HTTP/1.1\r\n"))
        #expect(request.contains("\r\nx-shop: 1\r\n"))
        #expect(request.contains("\r\nwebhook-id: 0f1e2d3c4b5a69788796a5b4c3d2e1f0-42\r\n"))
        #expect(request.contains("\r\nwebhook-signature: v1,"))
        #expect(request.hasSuffix(#""data":{"schema":1,"sequence":42,"order":{"status":"paid"}}}"#))
        // The time of the attempt, not the event's: receivers accept five minutes.
        #expect(request.contains("\r\nwebhook-timestamp: 1795244400\r\n"))
    }

    @Test func `the first bytes of an answer are kept`() async throws {
        let long = String(repeating: "e", count: 2000)
        let (outcome, _) = try await Self.attempt(LocalServer.answer(500, "", body: long))
        #expect(!outcome.isSuccess && outcome.reason == "status_500")
        #expect(outcome.excerpt.count == 512)
        var limits = DeliveryLimits()
        limits.excerptBytesMax = 7
        let (short, _) = try await Self.attempt(
            LocalServer.answer(500, "", body: long), limits: limits)
        #expect(short.excerpt == Array("eeeeeee".utf8))
        let (redirect, _) = try await Self.attempt(
            LocalServer.answer(302, "Location: http://127.0.0.1:1/\r\n"))
        #expect(!redirect.isSuccess && redirect.reason == "status_302")
    }

    @Test(
        arguments: [
            ("Retry-After: 120", 120), ("Retry-After: 99999999", 3600), ("Retry-After: 0", nil),
            ("Retry-After: soon", nil), ("Retry-After: Fri, 31 Dec 1999 23:59:59 GMT", nil),
            ("Retry-After: Fri, 31 Dec 2399 23:59:59 GMT", 3600), ("X: 1", nil),
        ] as [(String, Double?)])
    func `retry after is read and bounded`(_ line: String, _ seconds: Double?) async throws {
        let (outcome, _) = try await Self.attempt(LocalServer.answer(503, "\(line)\r\n"))
        #expect(outcome.retryAfterSeconds == seconds)
    }

    @Test func `a date in Retry-After is counted from now`() async throws {
        let form = DateFormatter()
        form.locale = Locale(identifier: "en_US_POSIX")
        form.timeZone = TimeZone(identifier: "GMT")
        form.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = form.string(from: Date(timeIntervalSinceNow: 300))
        let (outcome, _) = try await Self.attempt(
            LocalServer.answer(429, "Retry-After: \(date)\r\n"))
        // Less on a slow machine, never more.
        #expect((1...300).contains(outcome.retryAfterSeconds ?? 0))
    }

    @Test func `every failure has its reason`() async throws {
        let (endless, _) = try await Self.attempt(
            "HTTP/1.1 200 X\r\nContent-Length: 9999999\r\n\r\n")
        #expect(endless.failure == .answerTooLong && endless.status == 200 && !endless.isSuccess)
        let (cut, _) = try await Self.attempt("HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nhalf")
        #expect(cut.failure == .reset && !cut.isSuccess)
        #expect(cut.excerpt == Array("half".utf8))
        let (silent, _) = try await Self.attempt(nil, timeoutSeconds: 1)
        #expect(silent.failure == .timeout)
    }

    @Test func `the configured bounds are kept`() async throws {
        var limits = DeliveryLimits()
        limits.answerBytesMax = 10
        limits.answerHeadBytesMax = 256
        limits.retryAfterSecondsMax = 60
        let (fits, _) = try await Self.attempt(
            LocalServer.answer(503, "Retry-After: 61\r\n", body: "0123456789"), limits: limits)
        #expect(fits.failure == nil && fits.retryAfterSeconds == 60)
        let (body, _) = try await Self.attempt(
            LocalServer.answer(200, "", body: "0123456789+"), limits: limits)
        #expect(body.failure == .answerTooLong && body.detail.contains("10 bytes"))
        let field = "X: " + String(repeating: "x", count: 300) + "\r\n"
        let (head, _) = try await Self.attempt(LocalServer.answer(200, field), limits: limits)
        #expect(head.failure == .answerTooLong && head.detail.contains("256 bytes"))
    }

    /// A listener that accepts no connection: the TLS handshake waits for the server's first bytes.
    @Test func `connecting has its own timeout`() async throws {
        let server = try Self.server(nil)
        var target = try Self.target(server.port)
        target.url = try WebURL("https://127.0.0.1:\(server.port)/")
        var limits = DeliveryLimits()
        limits.connectSecondsMax = 0.1
        let client = WebClient()
        let transport = WebhookTransport(
            client, ["shop": target], limits: limits, clock: ManualClock())
        let outcome = await transport.attempt(WebhookMessageTests.message())
        #expect(outcome.failure == .connectTimeout, "\(outcome)")
    }

    @Test func `removed and changed targets take effect`() async throws {
        let server = try Self.server(LocalServer.answer(200))
        let transport = WebhookTransport(WebClient(), [:], clock: ManualClock())
        let unknown = await transport.attempt(WebhookMessageTests.message())
        #expect(unknown.failure == .failed && unknown.detail.contains("shop"))
        transport.replace(["shop": try Self.target(server.port)])
        #expect(await transport.attempt(WebhookMessageTests.message()).isSuccess)
    }
}
