import Bytes
import Payments
import Records

/// Notifications and what comes with them, as records keep them.
enum Samples {
    static func money(_ minor: Int64, _ currency: String = "MYR") -> Money {
        Money(minor: minor, currency: Currency(currency)!)
    }

    static func payment(_ id: String) -> Notification {
        Notification(
            id: id, kind: "payment", status: "paid",
            occurred: Timestamp(microseconds: 1_795_244_398_000_000), reference: "REQ-1",
            transaction: "PAY-1", effect: .attempt(.paid, money(4200)))
    }

    static func refund(_ id: String) -> Notification {
        Notification(
            id: id, kind: "refund", status: "succeeded", transaction: "PAY-1",
            effect: .refund(id: "REF-1", .succeeded, money(4200)))
    }

    static func arrival(_ notification: Notification, body: [UInt8]? = nil) -> SampleArrival {
        SampleArrival(
            notification: notification,
            request: RecordedRequest(
                method: "POST", target: Array("/ipn/antom".utf8)[...],
                headers: [
                    Header(
                        name: Array("client-id".utf8)[...], value: Array("SANDBOX_1".utf8)[...])
                ], body: body ?? Array(#"{"id":"\#(notification.id)"}"#.utf8)))
    }
}

/// A notification with the request that brought it.
struct SampleArrival {
    var notification: Notification
    var request: RecordedRequest
    var inquiry: RecordedInquiry?
    var part: RecordPart?
    var peer = "203.0.113.7"
    var trace: String?

    /// Its record.
    func record(_ content: RecordContent, base64: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        append(content, base64: base64, to: &bytes)
        return bytes
    }

    func append(_ content: RecordContent, base64: Bool = false, to bytes: inout [UInt8]) {
        RecordEncoder.append(
            content, of: notification,
            from: RecordOrigin(
                received: Timestamp(microseconds: 1_795_244_400_123_456), endpoint: "antom",
                provider: "antom", key: "1", trace: trace),
            request: request, part: part, inquiry: inquiry, peer: peer,
            encodesBodyAsBase64: base64, to: &bytes)
    }
}
