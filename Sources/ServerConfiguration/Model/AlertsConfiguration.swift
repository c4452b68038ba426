import Alerts
import Bytes
import Providers
import WebClient

/// Whom to alert, and of what.
package struct AlertsConfiguration: Sendable, Equatable {
    /// A URL that takes JSON by POST, such as a chat's incoming webhook.
    package struct Webhook: Sendable, Equatable {
        package var url: WebURL
        /// Nil sends the messages unsigned.
        package var signer: StandardWebhooksSigner?
        package var headers: [Header]
        package var route: WebRoute
    }

    package struct Mail: Sendable, Equatable {
        package var from: String
        package var to: [String]
        /// The absolute path of the mail program.
        package var command: String
    }

    package var webhook: Webhook?
    package var mail: Mail?
    package var settings = AlertSettings()
    /// The absolute path of the directory with the state.
    package var directory: String
}
