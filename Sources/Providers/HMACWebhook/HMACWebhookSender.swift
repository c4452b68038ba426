import Cryptography
import Headers
import Payments

/// The part of a system that ipnd knows by configuration only.
package struct HMACWebhookSender: Sender {
    private let secret: [UInt8]
    private let scheme: HMACScheme
    private let fields: FieldMapping

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    package init(settings: SenderSettings) throws(SettingsError) {
        secret = try settings.requiredSecret()
        guard let scheme = settings.hmac, let fields = settings.fields else {
            throw SettingsError(key: "hmac", message: "the endpoint's hmac and fields are missing")
        }
        try scheme.check()
        try fields.check()
        self.scheme = scheme
        self.fields = fields
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundDelivery {
        let body = try MappedSample(mapping: fields).body(event)
        var headers = [Header("content-type", "application/json")]
        var content = body
        if case .timestampAndBody(let name) = scheme.content {
            let time = String(event.occurred.wholeSeconds.microseconds / 1_000_000)
            headers.append(Header(name, time))
            content = Array("\(time).".utf8) + body
        }
        let code = HMAC.code(scheme.algorithm, key: secret, message: content)
        let text = scheme.encoding == .hex ? Hex.encode(code) : Base64.encode(code)
        headers.append(Header(scheme.header, scheme.prefix + text))
        return OutboundDelivery(target: path, headers: headers, body: body)
    }

    package func judge(status: Int, contentType: String?, body: [UInt8]) -> Judgement {
        (200..<300).contains(status) ? .accepted : .sendsAgain("status \(status) is not 2xx")
    }

    /// Nothing is known of the system.
    package let publishedRetrySchedule: [Duration] = []
}
