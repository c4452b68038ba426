import Bytes
import Cryptography
import Foundation
import JSON
import Payments
import Providers
import TestSupport
import Testing

@testable import Delivery

/// The message, checked by two receivers: this program's, and the specification's library.
@Suite struct WebhookMessageTests {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    static let other = "whsec_" + Base64.encode(Array(repeating: 7, count: 32))

    static func message(
        record: String = #"{"schema":1,"sequence":42,"order":{"status":"paid"}}"#,
        type: String = WebhookMessage.type(status: "paid"), destination: String = "shop"
    ) -> DeliveryMessage {
        DeliveryMessage(
            destination: destination, id: "0f1e2d3c4b5a69788796a5b4c3d2e1f0-42", type: type,
            timestamp: Timestamp(microseconds: 1_795_244_400_123_456), sequence: 42,
            endpoint: "antom", reference: "REQ-1", record: Array(record.utf8), attempt: 1)
    }

    static func signer(_ secrets: String...) throws -> StandardWebhooksSigner {
        try StandardWebhooksSigner(
            secrets.map { try StandardWebhooksKey(Array($0.utf8), setting: "secret") })
    }

    @Test func `the body is the record with its type and time`() {
        let body = WebhookMessage(Self.message()).body
        let expected =
            #"{"type":"order.paid","timestamp":"2026-11-21T07:00:00.123456Z","data":"#
            + #"{"schema":1,"sequence":42,"order":{"status":"paid"}}}"#
        #expect(String(decoding: body, as: UTF8.self) == expected)
    }

    /// Golden bytes, with the specification's example of a secret.
    @Test func `a message in a trace says its place`() throws {
        var message = Self.message()
        message.trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let headers = try #require(
            WebhookMessage(message).headers(signer: Self.signer(Self.secret), seconds: 1))
        #expect(headers.last == Header("traceparent", try #require(message.trace)))
        #expect(headers.count == 5)
    }

    @Test func `the headers of an attempt follow the specification`() throws {
        let headers = try #require(
            WebhookMessage(Self.message()).headers(
                signer: Self.signer(Self.secret), seconds: 1_795_244_401))
        let lines = headers.map {
            String(decoding: $0.name + Array(": ".utf8) + $0.value, as: UTF8.self)
        }
        #expect(
            lines.prefix(3) == [
                "content-type: application/json",
                "webhook-id: 0f1e2d3c4b5a69788796a5b4c3d2e1f0-42",
                "webhook-timestamp: 1795244401",
            ])
        let key = Array(Data(base64Encoded: String(Self.secret.dropFirst(6))) ?? Data())
        let body = WebhookMessage(Self.message()).body
        let code = HMAC.code(
            .sha256, key: key,
            message: Array("0f1e2d3c4b5a69788796a5b4c3d2e1f0-42.1795244401.".utf8) + body)
        #expect(lines.last == "webhook-signature: v1,\(Base64.encode(code))")
    }

    @Test func `every secret signs, and each verifies alone`() throws {
        let pair = try StandardWebhooksKey.freshPair()
        let signer = try Self.signer(Self.secret, Self.other, pair.privateText)
        let message = WebhookMessage(Self.message())
        let headers = try #require(message.headers(signer: signer, seconds: 1_795_244_401))
        let signatures = String(decoding: headers[3].value, as: UTF8.self).split(separator: " ")
        #expect(signatures.map { $0.prefix { $0 != "," } } == ["v1", "v1", "v1a"])
        for secret in [Self.secret, Self.other, pair.publicText] {
            var settings = EndpointSettings(name: "shop")
            settings.secrets = [Array(secret.utf8)]
            let receiver = try StandardWebhooks(settings: settings)
            var delivery = SignedRequest(
                path: Array("/hook".utf8)[...], headers: headers, body: message.body,
                received: Timestamp(microseconds: 1_795_244_410_000_000))
            _ = try receiver.verify(delivery)
            delivery.body[delivery.body.count - 3] ^= 1
            #expect(throws: Refusal.self) { try receiver.verify(delivery) }
        }
    }

    @Test func `a public key cannot sign`() throws {
        let pair = try StandardWebhooksKey.freshPair()
        #expect(throws: SettingsError.self) { try Self.signer(Self.secret, pair.publicText) }
    }

    @Test func `the same keys are the same signer`() throws {
        #expect(try Self.signer(Self.secret) == Self.signer(Self.secret))
        #expect(try Self.signer(Self.secret) != Self.signer(Self.other))
        #expect(try Self.signer(Self.secret) != Self.signer(Self.secret, Self.other))
    }
}
