import Bytes
import JSON
import Payments

/// The part of a system that follows the Standard Webhooks specification.
package struct StandardWebhooksSender: Sender {
    private let signer: StandardWebhooksSigner
    private let sample: MappedSample?

    /// - Throws: ``SettingsError`` for a key that cannot sign: neither a shared secret nor a
    ///   private key (``StandardWebhooksKey``).
    package init(settings: EndpointSettings) throws(SettingsError) {
        let secret: [UInt8] =
            if let key = settings[StandardWebhooks.signingKey] { Array(key.utf8) } else {
                try settings.senderSecret()
            }
        let key = try StandardWebhooksKey(secret, setting: "secret")
        if case .verifying = key {
            throw SettingsError(key: "secret", message: "signing needs the private key, whsk_")
        }
        signer = try StandardWebhooksSigner([key])
        let fields = settings[SettingRow.fields]
        try fields?.check()
        sample = fields.map { MappedSample(mapping: $0, settings: settings) }
    }

    /// The time is the event's own: for an endpoint with the usual tolerance it has to be now.
    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        let body = try sample?.body(event) ?? plain(event)
        let id =
            "msg_"
            + SampleEvent.identifier(
                "webhook", event.actionID, event.type.rawValue, String(event.number))
        let time = String(event.occurred.wholeSeconds.microseconds / 1_000_000)
        guard let signature = signer.signature(id: id, time: time, body: body) else {
            throw .signingFailed
        }
        return OutboundRequest(
            target: path,
            headers: [
                Header("content-type", "application/json"), Header("webhook-id", id),
                Header("webhook-timestamp", time),
                Header("webhook-signature", signature),
            ], body: body)
    }

    package var marksTests: Bool { sample?.marksTests ?? false }

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
