import Explain
import Foundation
import PaymentNotifications

/// The examples in the comments on providers. Those of their settings are in ``ProviderSamples``.
extension CommentSamples {
    static var times: [Any?] {
        [
            Timestamp(secondsSince1970: Date().timeIntervalSince1970),
            Timestamp(iso8601: "2025-05-17T00:57:31-07:00")?.rfc3339,  // "2025-05-17T07:57:31Z"
            Timestamp(iso8601: "2025-05-17T00:57:31"),  // nil: no offset
        ]
    }

    static func request(bytes: [UInt8]) -> SignedRequest {
        let request = SignedRequest(
            method: "POST", path: "/ipn/shop?attempt=2", headers: [("Signature", "…")], body: bytes,
            received: Timestamp(secondsSince1970: Date().timeIntervalSince1970))
        return request
    }

    static func steps(
        _ request: SignedRequest, by provider: some Provider
    ) throws -> (PaymentNotification, Answer) {
        let verified = try provider.verify(request)
        let notification = provider.interpret(verified.evidence)
        let answer = provider.answer(.accepted)
        return (notification, answer)
    }

    static func received(
        _ request: SignedRequest, by provider: any Provider, _ order: inout Order
    ) async -> Answer {
        do {
            for notification in try await provider.receive(request) { order.apply(notification) }
            return provider.answer(.accepted)
        } catch {
            return provider.answer(.refused(error))
        }
    }

    static func counted(
        _ request: SignedRequest, by provider: some Provider, _ counts: inout [String: Int]
    ) -> Answer? {
        do throws(Refusal) {
            _ = try provider.verify(request)
        } catch {
            counts[error.reason, default: 0] += 1
            return provider.answer(.refused(error))
        }
        return nil
    }

    static func named(_ name: String, pem: String) throws -> any Provider {
        let settings: [String: SettingValue] = [
            "clientID": "C-1", "keys": .keys([.init(version: 2, text: pem)]), "capture": "manual",
        ]
        if name == "antom" {
            return try ProviderRegistry.provider(named: name, settings: settings)
        }
        let provider = try ProviderRegistry.provider(
            named: name, settings: ["secrets": ["whsec_…"], "toleranceSeconds": 600])
        return provider
    }

    static var schemes: [HMACScheme] {
        // x-signature: sha256=<hex of HMAC-SHA256 over the body>
        let simple = HMACScheme(header: "x-signature", prefix: "sha256=")
        // x-signature: t=<seconds>,v1=<hex of HMAC-SHA256 over the time, a point and the body>
        let timed = HMACScheme(
            header: "x-signature", layout: .parameters(separator: .comma, signature: "v1"),
            content: SignedTemplate(
                parts: [.timestamp, .literal([46]), .body], timestamp: .parameter("t")))
        return [simple, timed]
    }

    static var fields: FieldMapping {
        var fields = FieldMapping(
            identity: ["/id"], reference: "/order", transaction: "/payment", status: "/type",
            amount: "/sum", amountForm: .decimal, currency: .fixed("EUR"),
            statuses: ["payment.done": .paid, "payment.declined": .failed])
        fields.test = [Condition("/live", .isOneOf(["false"]))]
        return fields
    }

    static func explained(
        _ request: SignedRequest, settings: [String: SettingValue], oldSecret: String
    ) throws -> [Explanation.Finding] {
        let explanation = try Explainer.explain(
            request, provider: "hmac", settings: settings, otherKeys: ["old": oldSecret])
        for cause in explanation.findings { print(cause.code, cause.sentence, cause.remedy) }
        return explanation.findings
    }

    static func umbrella(
        headers: [(name: String, value: String)], body: [UInt8], pem: String,
        _ order: inout Order
    ) throws -> Answer {
        let antom = try Antom(settings: .init(clientID: "…", keys: [.init(version: 1, text: pem)]))
        let request = SignedRequest(
            method: "POST", path: "/ipn/antom", headers: headers, body: body,
            received: Timestamp(secondsSince1970: Date().timeIntervalSince1970))
        let verified = try antom.verify(request)
        let notification = antom.interpret(verified.evidence)
        order.apply(notification)
        let answer = antom.answer(.accepted)
        return answer
    }
}
