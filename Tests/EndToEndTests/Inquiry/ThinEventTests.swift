import Bytes
import Cryptography
import Foundation
import TestSupport
import Testing

/// Stripe's thin events with the real binary: a signed event that names only an object, and the
/// payment that is fetched before the answer.
@Suite(.ownThreads) struct ThinEventTests {
    private static func instance(port: UInt16?) throws -> Instance {
        try Instance(edit: { text in
            guard let port else { return text }
            let secret = "    secrets: [{file: secrets/stripe}]\n"
            let inquiry =
                "    inquiry: {url: \"http://127.0.0.1:\(port)\", apiKey: {file: secrets/adyen}, "
                + "secondsPerOrder: 0.001}\n"
            return text.replacingOccurrences(of: secret, with: secret + inquiry)
        })
    }

    private func call(
        _ instance: Instance, _ object: String, at seconds: Int? = nil
    ) throws -> HTTPAnswer {
        let secret = try String(
            contentsOfFile: "\(instance.folder)/secrets/stripe", encoding: .utf8)
        let body =
            #"{"id":"evt_\#(object)","object":"v2.core.event","#
            + #""type":"v1.payment_intent.succeeded","livemode":true,"#
            + #""created":"2026-11-28T00:00:00.000Z","related_object":"#
            + #"{"id":"\#(object)","type":"payment_intent","url":"/v1/x"}}"#
        let time = seconds ?? Int(Date().timeIntervalSince1970)
        let key = HMACKey(.sha256, Array(secret.trimmingCharacters(in: .newlines).utf8))
        let code = Hex.encode(key.code(parts: [Array("\(time).\(body)".utf8)[...]]))
        let client = try Client(port: instance.port)
        try client.send(
            """
            POST /ipn/stripe HTTP/1.1\r
            Host: localhost\r
            Content-Type: application/json\r
            Stripe-Signature: t=\(time),v1=\(code)\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """)
        return try client.receive()
    }

    private static func answer(_ request: String) -> String? {
        if request.hasPrefix("GET /v1/payment_intents/pi_1 ") {
            return ProviderStub.answer(
                #"{"id":"pi_1","object":"payment_intent","amount":4200,"amount_received":4200,"#
                    + #""currency":"eur","status":"succeeded","created":1,"livemode":true,"#
                    + #""metadata":{"order_id":"ORDER-1"}}"#)
        }
        if request.hasPrefix("GET /v1/payment_intents/") {
            return ProviderStub.answer(#"{"error":{}}"#, status: "404 Not Found")
        }
        return ProviderStub.answer(#"{"object":"list","data":[],"has_more":false}"#)
    }

    @Test func `the object is fetched, recorded, and then acknowledged`() throws {
        let provider = try ProviderStub { Self.answer($0) }
        let instance = try Self.instance(port: provider.port)
        #expect(try call(instance, "pi_1").status == 200)
        instance.stop(SIGKILL)
        try instance.start()
        let order = try #require(try instance.order("stripe", "ORDER-1"))
        #expect(order["status"] as? String == "paid", "\(order)")
        #expect((order["captured"] as? [String: Any])?["minor"] as? Int == 4200)
        #expect(
            provider.requests.map { $0.prefix { $0 != "\r\n" } } == [
                "GET /v1/payment_intents/pi_1 HTTP/1.1",
                "GET /v1/refunds?payment_intent=pi_1&limit=100 HTTP/1.1",
                "GET /v1/disputes?payment_intent=pi_1&limit=100 HTTP/1.1",
            ])
        // An object that Stripe does not know, and one that is no part of a payment.
        #expect(try call(instance, "pi_2").status == 200)
        #expect(try call(instance, "cus_1").status == 200)
        let kinds = try instance.records().compactMap {
            ($0["event"] as? [String: Any])?["kind"] as? String
        }
        #expect(kinds.count == 2 && kinds[0] == "inquiry", "\(kinds)")
        // A stranger cannot make it ask.
        let asked = provider.requests.count
        #expect(try call(instance, "pi_3", at: 1).status == 401)
        #expect(provider.requests.count == asked)
    }

    @Test func `without an answer it comes again`() throws {
        let provider = try ProviderStub { _ in nil }
        let instance = try Self.instance(port: provider.port)
        #expect(try call(instance, "pi_1").status == 503, "\(instance.logText)")
        #expect(try instance.records().isEmpty)
    }

    @Test func `without an inquiry it is ignored`() throws {
        let instance = try Self.instance(port: nil)
        #expect(try call(instance, "pi_1").status == 200)
        let events = try instance.records().map { $0["event"] as? [String: Any] }
        #expect(events.count == 1 && events[0]?["kind"] as? String != "inquiry")
        #expect(try instance.order("stripe", "ORDER-1") == nil)
    }
}
