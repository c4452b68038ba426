import Bytes
import Providers
import WebClient

/// The URL of a destination, the route to it, and the key that signs its messages.
package struct WebhookTarget: Sendable, Equatable {
    package var url: WebURL
    package var signer: StandardWebhooksSigner
    /// Headers added to those of the message.
    package var headers: [Header]
    package var route: WebRoute
    package var timeoutSeconds: Double

    package init(
        url: WebURL, signer: StandardWebhooksSigner, headers: [Header] = [],
        route: WebRoute = WebRoute(), timeoutSeconds: Double = 20
    ) {
        self.url = url
        self.signer = signer
        self.headers = headers
        self.route = route
        self.timeoutSeconds = timeoutSeconds
    }
}
