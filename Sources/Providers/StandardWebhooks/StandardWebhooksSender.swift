import Bytes
import Cryptography
import JSON
import Payments

/// The part of a system that follows the Standard Webhooks specification.
package struct StandardWebhooksSender: Sender {
    private let key: StandardWebhooksKey
    private let fields: FieldMapping?

    /// - Throws: ``SettingsError`` for a key that cannot sign: neither a shared secret nor a
    ///   private key (``StandardWebhooksKey``).
    package init(settings: SenderSettings) throws(SettingsError) {
        key = try StandardWebhooksKey(settings.requiredSecret(), setting: "secret")
        if case .verifying = key {
            throw SettingsError(key: "secret", message: "signing needs the private key, whsk_")
        }
        try settings.fields?.check()
        fields = settings.fields
    }

    /// The time is the event's own: for an endpoint with the usual tolerance it has to be now.
    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundDelivery {
        let body =
            if let fields { try MappedSample(mapping: fields).body(event) } else { plain(event) }
        let id =
            "msg_"
            + SampleEvent.identifier(
                "webhook", event.actionID, event.type.rawValue, String(event.number))
        let time = String(event.occurred.wholeSeconds.microseconds / 1_000_000)
        let content = StandardWebhooks.content(
            id: Array(id.utf8)[...], time: Array(time.utf8)[...], body: body)
        return OutboundDelivery(
            target: path,
            headers: [
                Header("content-type", "application/json"), Header("webhook-id", id),
                Header("webhook-timestamp", time),
                Header("webhook-signature", try signature(content)),
            ], body: body)
    }

    private func signature(_ content: [ArraySlice<UInt8>]) throws(SenderError) -> String {
        switch key {
        case .shared(let key):
            return "v1," + Base64.encode(HMAC.code(.sha256, key: key, parts: content))
        case .signing(let key):
            guard let signature = try? key.sign(Array(content.joined())) else {
                throw .signingFailed
            }
            return "v1a," + Base64.encode(signature)
        // Refused when the sender was made.
        case .verifying: throw .signingFailed
        }
    }

    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        (200..<300).contains(status) ? .accepted : .sendsAgain("status \(status) is not 2xx")
    }

    /// The specification's example of a schedule.
    package let publishedRetrySchedule: [Duration] = [
        .seconds(5), .minutes(5), .minutes(30), .hours(2), .hours(5), .hours(10), .hours(14),
        .hours(20), .hours(24),
    ]

    /// The specification's own layout, for an endpoint that maps nothing.
    private func plain(_ event: SampleEvent) -> [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("type", "\(event.kind).\(event.status)")
            json.member("timestamp", event.occurred.wholeSeconds.rfc3339)
            json.object("data") { json in
                json.member("reference", event.reference)
                json.member("transaction", event.transaction)
                json.member("amount", event.money.minor)
                json.member("currency", event.money.currency.code)
            }
        }
        return json.bytes
    }
}
