import Foundation
import PaymentNotifications

/// Verifies the messages of ipnd, which are Standard Webhooks.
struct Genuine: Sendable {
    private let sender: StandardWebhooks

    /// - Parameter secrets: Both of them, while the secret is being changed.
    init(secrets: [String]) throws {
        sender = try StandardWebhooks(settings: .init(secrets: secrets))
    }

    func callAsFunction(_ body: Data, headers: [(name: String, value: String)]) -> Bool {
        let request = SignedRequest(
            path: "/payments", headers: headers, body: body,
            received: Timestamp(secondsSince1970: Date().timeIntervalSince1970))
        return (try? sender.verify(request)) != nil
    }
}
