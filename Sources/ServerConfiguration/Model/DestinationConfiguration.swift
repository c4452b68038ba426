import Bytes
import Delivery
import Payments
import Providers
import WebClient

/// One of the merchant's systems, which receives events of orders.
package struct DestinationConfiguration: Sendable, Equatable {
    /// Unique among the destinations; used in the delivery state, metrics and commands.
    package var name: String
    package var url: WebURL
    /// The signer, with a key for each of `secrets`.
    package var signer: StandardWebhooksSigner
    /// The sources of the secrets, in their order; never the secrets themselves.
    package var secretSources: [SecretSource]
    /// The endpoints whose events are delivered; nil for all.
    package var endpoints: [String]?
    /// The order statuses to deliver: an event is delivered if the order has one of them
    /// afterwards; nil for all.
    package var statuses: [OrderStatus]?
    /// The kinds of events to deliver, as records spell them; nil for all.
    package var kinds: [String]?
    /// The pauses before the next attempts, in seconds. After the last one the order's events
    /// become dead letters.
    package var retrySeconds = Self.retrySecondsDefault
    /// Seconds without requests to a failing destination before it is probed.
    package var breakerSeconds = 30.0
    /// Maximum seconds of one attempt.
    package var timeoutSeconds = 20.0
    /// Maximum number of requests in flight, one per order.
    package var concurrency = 64
    /// Where delivery begins if the destination is new.
    package var start = DeliveryStart.now
    /// Further headers. A value may be a secret, so nothing shows it.
    package var headers: [Header] = []
    /// Proxy, certificate authorities, client certificate, and the addresses that may be called.
    package var route = WebRoute()

    /// The schedule that Standard Webhooks recommends.
    package static let retrySecondsDefault: [Double] =
        [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]

    package init(
        name: String, url: WebURL, signer: StandardWebhooksSigner,
        secretSources: [SecretSource] = []
    ) {
        self.name = name
        self.url = url
        self.signer = signer
        self.secretSources = secretSources
    }
}
