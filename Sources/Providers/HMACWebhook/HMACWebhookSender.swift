import Bytes
import Cryptography
import Payments

/// Signs for a system that ipnd knows only by configuration.
package struct HMACWebhookSender: Sender {
    private let secret: [UInt8]
    private let scheme: HMACScheme
    private let fields: FieldMapping

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    package init(settings: EndpointSettings) throws(SettingsError) {
        secret = try settings.senderSecret()
        guard let scheme = settings[HMACWebhook.scheme], let fields = settings[SettingRow.fields]
        else {
            throw HMACWebhook.scheme.error("the endpoint's hmac and fields are missing")
        }
        try scheme.check()
        try fields.check()
        self.scheme = scheme
        self.fields = fields
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        let body = try MappedSample(mapping: fields).body(event)
        var headers = [Header("content-type", "application/json")]
        var parameters: [(name: String, value: String)] = []
        let time = String(event.occurred.wholeSeconds.microseconds / 1_000_000)
        let id = SampleEvent.identifier(
            "webhook", event.actionID, event.type.rawValue, String(event.number))
        for (place, value) in [(scheme.content.timestamp, time), (scheme.content.id, id)] {
            switch place {
            case nil: break
            case .header(let name): headers.append(Header(name, value))
            case .parameter(let name): parameters.append((name, value))
            }
        }
        let content = scheme.content.content(
            method: "POST", path: Array(path.utf8.prefix { $0 != UInt8(ascii: "?") })[...],
            body: body, id: Array(id.utf8)[...], timestamp: Array(time.utf8)[...])
        let code = HMAC.code(scheme.algorithm, key: secret, parts: content)
        var value = scheme.prefix
        value += scheme.encoding == .hex ? Hex.encode(code) : Base64.encode(code)
        if case .parameters(let separator, let name) = scheme.layout {
            value = (parameters + [(name, value)]).map { "\($0.name)=\($0.value)" }
                .joined(separator: separator.rawValue)
        }
        headers.append(Header(scheme.header ?? "", value))
        return OutboundRequest(target: path, headers: headers, body: body)
    }

    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        (200..<300).contains(status) ? .accepted : .sendsAgain("status \(status) is not 2xx")
    }

    /// Nothing is known of the system.
    package let publishedRetrySchedule: [Duration] = []
}
