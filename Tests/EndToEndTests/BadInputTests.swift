import Bytes
import Foundation
import Providers
import TestSupport
import Testing

/// Each kind of bad input gets its defined answer and a logged reason, changes nothing, and leaves
/// the server running.
@Suite(.ownThreads) struct BadInputTests {
    /// A bad request: how a good one is modified, and the expected result.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let status: Int
        let reason: String
        let spoil: @Sendable (OutboundRequest) -> [UInt8]
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "a signature with one bit changed", status: 401, reason: "signature_mismatch") {
            $0.replacing(header: "signature", with: flipped($0, "signature")).request()
        },
        Case(name: "no signature", status: 401, reason: "missing_header") {
            $0.replacing(header: "signature", with: nil).request()
        },
        Case(name: "no request-time", status: 401, reason: "missing_header") {
            $0.replacing(header: "request-time", with: nil).request()
        },
        Case(name: "a foreign client id", status: 401, reason: "client_id_mismatch") {
            $0.replacing(header: "client-id", with: "SANDBOX_OTHER").request()
        },
        Case(name: "a body changed by one byte", status: 401, reason: "signature_mismatch") {
            var body = $0.body
            body[body.count / 2] ^= 1
            return $0.replacing(body: body).request()
        },
        Case(name: "a header twice", status: 400, reason: "duplicate_header") { delivery in
            let value = delivery.headers.first { $0.isNamed("signature") }!.value
            return delivery.adding("signature", String(decoding: value, as: UTF8.self)).request()
        },
        Case(name: "another path", status: 404, reason: "unknown_path") {
            $0.replacing(target: "/ipn/elsewhere").request()
        },
        Case(name: "a longer path", status: 404, reason: "unknown_path") {
            $0.replacing(target: "/ipn/antom/").request()
        },
        Case(name: "GET", status: 405, reason: "wrong_method") { _ in
            Array("GET /ipn/antom HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        },
        Case(name: "a body of 2 MiB", status: 413, reason: "body_too_large") {
            $0.replacing(body: Array(repeating: 0x20, count: 2 << 20)).request()
        },
        Case(name: "garbage instead of HTTP", status: 400, reason: "method_invalid") { _ in
            Array("\u{1}\u{2}\u{3} what is this\r\n\r\n".utf8)
        },
        Case(name: "TLS on a plain port", status: 400, reason: "method_invalid") { _ in
            [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03]
        },
    ]

    /// Changes a letter in the middle of the value, outside of percent escapes.
    private static func flipped(_ delivery: OutboundRequest, _ name: String) -> String {
        var value = Array(delivery.headers.first { $0.isNamed(name) }!.value)
        let percent = UInt8(ascii: "%")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "y")
        let place = (value.count / 2..<value.count).first {
            letters.contains(value[$0]) && value[$0 - 1] != percent && value[$0 - 2] != percent
        }!
        value[place] += 1
        return String(decoding: value, as: UTF8.self)
    }

    @Test(arguments: cases)
    func `it is answered and changes nothing`(_ bad: Case) throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let delivery = try antom.delivery(reference: "BAD-1")
        let client = try instance.client()
        try? client.send(bad.spoil(delivery))
        #expect(try client.receive().status == bad.status)
        #expect(
            eventually { instance.logText.contains("reason=\(bad.reason)") }, "\(instance.logText)")
        #expect(try instance.records().isEmpty)
        let next = try instance.client()
        try next.send(delivery.request())
        #expect(try next.receive().status == 200)
        #expect(try instance.references() == ["BAD-1"])
    }

    /// Authentic but unreadable: a retry would not help, so it is kept raw and acknowledged.
    @Test(arguments: [
        #"{"notifyType":"PAYMENT_RESULT","notifyType":"PAYMENT_RESULT"}"#,
        String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000),
        "not JSON at all", "", "[]", "null",
    ])
    func `an authentic body that cannot be understood is kept as ignored`(_ body: String) throws {
        let instance = try Instance()
        let delivery = try AntomForgery(instance).sign(body: body)
        let client = try instance.client()
        try client.send(delivery.request())
        let answer = try client.receive()
        #expect(answer.status == 200)
        #expect(answer.body == CorridorTests.antomSuccess)
        let record = try #require(try instance.records().first)
        #expect(record["outcome"] as? String == "ignored")
        #expect((record["request"] as? [String: Any])?["body"] as? String == body)
        #expect((record["flags"] as? [String])?.contains("not_understood") == true)
    }

    @Test(arguments: [
        #"{"fields":"id","fields":"id","sign":"00"}"#, "not JSON", "[[[[",
        String(repeating: "[", count: 10_000),
    ])
    func `a malformed Citcon body is refused before verification`(_ body: String) throws {
        let instance = try Instance()
        let citcon = try SandboxProvider("citcon", of: instance)
        let client = try instance.client()
        try client.send(
            citcon.delivery(reference: "BAD-2").replacing(body: Array(body.utf8)).request())
        #expect(try client.receive().status == 400)
        #expect(try instance.records().isEmpty)
    }

    @Test func `refused requests are kept in the rejection log with their bytes`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let delivery = try antom.delivery(reference: "BAD-3")
        let client = try instance.client()
        try client.send(delivery.replacing(header: "client-id", with: "X").request())
        #expect(try client.receive().status == 401)
        let text = try String(
            contentsOfFile: "\(instance.folder)/rejections/rejections.jsonl", encoding: .utf8)
        let entry = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect(entry?["reason"] as? String == "client_id_mismatch")
        let request = try #require(entry?["request"] as? [String: Any])
        #expect(request["body"] as? String == String(decoding: delivery.body, as: UTF8.self))
    }
}

extension OutboundRequest {
    /// Returns the request with one more header.
    func adding(_ name: String, _ value: String) -> OutboundRequest {
        OutboundRequest(
            method: method, target: target, headers: headers + [Header(name, value)], body: body)
    }
}
