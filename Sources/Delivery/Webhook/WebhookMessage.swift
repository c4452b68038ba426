import Bytes
import JSON
import Payments
import Providers

/// A delivery as a request of Standard Webhooks (standardwebhooks.com): its body, and the headers
/// of one attempt.
///
///     {"type":"order.paid","timestamp":"2026-11-21T07:00:00.123456Z","data":{…}}
///
/// `data` is the record as `/events` has it, byte for byte.
package struct WebhookMessage: Sendable {
    /// The type of an example.
    package static let exampleType = "test"

    /// The type of an event after which its order, or its agreement, has this status.
    package static func type(status: String, isAgreement: Bool = false) -> String {
        "\(isAgreement ? "agreement" : "order").\(status)"
    }

    /// The request's body, the same at every attempt.
    package let body: [UInt8]
    private let id: String
    private let trace: String?

    package init(_ message: DeliveryMessage) {
        id = message.id
        trace = message.trace
        body = JSONWriter.object(reserving: message.record.count + 96) {
            $0.member("type", message.type)
            $0.member("timestamp", message.timestamp.rfc3339)
            $0.member("data", raw: message.record[...])
        }
    }

    /// The headers of an attempt that starts now; nil if signing fails.
    ///
    /// - Parameter seconds: Seconds since 1970. Receivers refuse a timestamp that differs from
    ///   their clock by more than five minutes, so each attempt has its own.
    package func headers(signer: StandardWebhooksSigner, seconds: Int64) -> [Header]? {
        let time = String(seconds)
        guard let signature = signer.signature(id: id, time: time, body: body) else { return nil }
        var headers = [
            Header("content-type", "application/json"), Header("webhook-id", id),
            Header("webhook-timestamp", time), Header("webhook-signature", signature),
        ]
        if let trace { headers.append(Header("traceparent", trace)) }
        return headers
    }
}
