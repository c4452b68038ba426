import Payments

/// Signs for a system that ipnd knows only by configuration.
package struct HMACWebhookSender: Sender {
    private let sender: RecipeSender

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    package init(settings: EndpointSettings) throws(SettingsError) {
        _ = try settings.senderSecret()
        guard let scheme = settings[HMACWebhook.scheme], let fields = settings[SettingRow.fields]
        else {
            throw HMACWebhook.scheme.error("the endpoint's hmac and fields are missing")
        }
        sender = try RecipeSender(.signature(scheme), fields: fields, settings: settings)
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        try sender.sign(event, path: path)
    }

    package var marksTests: Bool { sender.marksTests }

    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        sender.judge(status: status, contentType: contentType, body: body)
    }

    /// Nothing is known of the system.
    package let publishedRetrySchedule: [Duration] = []
}
