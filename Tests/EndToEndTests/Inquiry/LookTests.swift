import Foundation
import TestSupport
import Testing

/// Mollie's classic webhooks with the real binary: an unsigned id, and the payment that is fetched
/// before the answer.
@Suite(.ownThreads) struct LookTests {
    /// An ipnd that asks at this port.
    private static func instance(
        on storage: StorageKind = .journal, port: UInt16, more: String = ""
    ) throws -> Instance {
        try Instance(
            on: storage,
            edit: {
                $0.replacingOccurrences(
                    of: "webhookSecrets: [{file: secrets/mollie}]",
                    with: """
                        kind: classic
                            apiKey: {file: secrets/adyen}
                            inquiry: {url: "http://127.0.0.1:\(port)", \
                        secondsPerOrder: 0.001\(more)}
                        """
                ).replacingOccurrences(of: "    kind: signed\n", with: "")
            })
    }

    private func call(_ instance: Instance, _ id: String) throws -> HTTPAnswer {
        let client = try Client(port: instance.port)
        let body = "id=\(id)"
        try client.send(
            """
            POST /ipn/mollie HTTP/1.1\r
            Host: localhost\r
            Content-Type: application/x-www-form-urlencoded\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """)
        return try client.receive()
    }

    private static func payment(_ request: String, _ status: String) -> String? {
        let id = request.firstMatch(of: /payments\/(tr_\w+)\?/)?.1 ?? ""
        return ProviderStub.answer(
            #"{"id":"\#(id)","mode":"test","status":"\#(status)","#
                + #""amount":{"currency":"EUR","value":"42.00"},"#
                + #""metadata":{"order_id":"ORDER-\#(id)"}}"#)
    }

    @Test(arguments: StorageKind.all)
    func `the payment is fetched, recorded, and then acknowledged`(_ storage: StorageKind) throws {
        let state = Box("open")
        let provider = try ProviderStub { Self.payment($0, state.get()) }
        let instance = try Self.instance(on: storage, port: provider.port)
        #expect(try call(instance, "tr_1").status == 200)
        #expect(try instance.order("mollie", "ORDER-tr_1")?["status"] as? String == "pending")
        state.set("paid")
        let paid = try eventually { try call(instance, "tr_1&status=expired").status == 200 }
        #expect(paid)
        // What was acknowledged survives.
        instance.stop(SIGKILL)
        try instance.start()
        let order = try #require(try instance.order("mollie", "ORDER-tr_1"))
        #expect(order["status"] as? String == "paid", "\(order)")
        #expect((order["captured"] as? [String: Any])?["minor"] as? Int == 4200)
        let kinds = try instance.records().compactMap {
            ($0["event"] as? [String: Any])?["kind"] as? String
        }
        #expect(kinds == ["inquiry", "inquiry"])
        let request = try #require(provider.requests.first)
        #expect(
            request.hasPrefix(
                "GET /v2/payments/tr_1?embed=captures,refunds,chargebacks HTTP/1.1\r\n"))
        let records = "\(try instance.records())"
        #expect(request.contains("Bearer ") && !records.contains("Bearer"))
    }

    @Test func `without an answer the call comes again, and nothing is kept`() throws {
        let answer = Box<String?>(nil)
        let provider = try ProviderStub { _ in answer.get() }
        let instance = try Self.instance(port: provider.port)
        let away = try call(instance, "tr_1")
        #expect(away.status == 503 && away.fields["retry-after"] != nil, "\(away)")
        for (text, status) in [
            ("<html>", "200 OK"), ("{}", "401 Unauthorized"), ("{}", "503 Service Unavailable"),
            (#"{"id":"tr_9","status":"paid"}"#, "200 OK"),
        ] {
            answer.set(ProviderStub.answer(text, status: status))
            #expect(try call(instance, "tr_1").status == 503, "\(text)")
        }
        // An id that Mollie does not know is answered like another, and leaves no trace.
        answer.set(ProviderStub.answer("{}", status: "404 Not Found"))
        #expect(try eventually { try call(instance, "tr_1").status == 200 })
        #expect(try call(instance, "tr_1%2F..%2Fx").status == 400)
        #expect(try instance.records().isEmpty)
        let metrics = try instance.admin().get("/metrics").body
        #expect(metrics.contains(#"reason="not_fetched""#), "\(metrics)")
    }

    /// A stranger's ids cost no more questions than the endpoint's limit.
    @Test func `strangers cannot make it ask without end`() throws {
        let provider = try ProviderStub { _ in
            ProviderStub.answer("{}", status: "404 Not Found")
        }
        let instance = try Self.instance(
            port: provider.port, more: ", secondsPerQuestion: 3600")
        let answers = try (1...20).map { try call(instance, "tr_\($0)").status }
        #expect(provider.requests.count == 1, "\(answers)")
        #expect(answers == [200] + Array(repeating: 503, count: 19))
    }
}
