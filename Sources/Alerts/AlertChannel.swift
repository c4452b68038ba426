import Bytes
import Platform
import Providers
import WebClient

/// A way to a person: a webhook or mail.
package protocol AlertChannel: Sendable {
    /// The channel in the file of messages, in logs and in commands.
    var name: String { get }

    /// Sends a message. Returns why it failed; nil where it was sent.
    func send(_ message: AlertMessage) async -> String?
}

/// Posts messages to a URL, such as a chat's incoming webhook, with the limits and address rules of
/// deliveries.
package struct AlertWebhook: AlertChannel {
    package let name = "webhook"
    private let url: WebURL
    private let headers: [Header]
    private let route: WebRoute
    private let signer: StandardWebhooksSigner?
    private let client: WebClient
    private let clock: any Clock

    private static let timeoutMilliseconds = 20_000

    /// - Parameter signer: Signs the messages by Standard Webhooks; nil sends them unsigned.
    package init(
        url: WebURL, headers: [Header], route: WebRoute, signer: StandardWebhooksSigner?,
        client: WebClient, clock: any Clock
    ) {
        self.url = url
        self.headers = headers
        self.route = route
        self.signer = signer
        self.client = client
        self.clock = clock
    }

    package func send(_ message: AlertMessage) async -> String? {
        let body = message.json
        let time = String(clock.wallMicroseconds / 1_000_000)
        var all = [
            Header("content-type", "application/json"), Header("webhook-id", message.id),
            Header("webhook-timestamp", time),
        ]
        if let signer {
            guard let signature = signer.signature(id: message.id, time: time, body: body) else {
                return "signing failed"
            }
            all.append(Header("webhook-signature", signature))
        }
        var request = WebRequest("POST", url, headers: all + headers, body: body, route: route)
        request.limits.exchangeMillisecondsMax = Self.timeoutMilliseconds
        do throws(WebFailure) {
            let response = try await client.send(request)
            guard !(200..<300).contains(response.status) else { return nil }
            let excerpt = String(decoding: response.body.prefix(200), as: UTF8.self)
            return "\(url.withoutQuery) answered \(response.status): \(excerpt)"
        } catch {
            return "\(url.withoutQuery): \(error.reason.rawValue) \(error.detail)"
        }
    }
}

/// Sends messages by the machine's own mail program.
package struct AlertMail: AlertChannel {
    package let name = "sendmail"
    private let from: String
    private let to: [String]
    private let command: String
    private let clock: any Clock

    private static let timeoutSeconds = 60

    package init(from: String, to: [String], command: String, clock: any Clock) {
        self.from = from
        self.to = to
        self.command = command
        self.clock = clock
    }

    package func send(_ message: AlertMessage) async -> String? {
        let mail = message.mail(from: from, to: to)
        // `-i`: a line with a single dot does not end the mail. `-f` is the sender of bounces.
        let arguments = ["-i", "-f", from, "--"] + to
        let (command, clock) = (command, clock)
        return await withCheckedContinuation { continuation in
            PlatformThread.detached(name: "ipnd-mail", niceness: BackgroundExecutor.niceness) {
                let program = FedProgram(command, arguments, clock: clock)
                continuation.resume(returning: program.run(mail, seconds: Self.timeoutSeconds))
            }
        }
    }
}
