import Bytes
import Payments
import Providers
import WebClient

/// One of the merchant's systems, which receives events of orders.
package struct DestinationConfiguration: Sendable, Equatable {
    /// Unique among the destinations; used in the delivery state, metrics and commands.
    package var name: String
    package var url: WebURL
    /// Made of all `secrets`.
    package var signer: StandardWebhooksSigner
    /// Where the secrets come from, in their order; never what they are.
    package var secretSources: [SecretSource]
    /// The endpoints whose events are delivered; nil: all.
    package var endpoints: [String]?
    /// Only events after which the order has one of these statuses; nil: all.
    package var statuses: [OrderStatus]?
    /// Only events of these kinds, as records spell them; nil: all.
    package var kinds: [String]?
    /// The pauses before the next attempts, in seconds; then the order's events are dead letters.
    package var retrySeconds = Self.retrySecondsDefault
    /// How long a destination that fails is left alone before it is probed.
    package var breakerSeconds = 30.0
    /// How long one attempt may take.
    package var timeoutSeconds = 20.0
    /// Requests in flight at most, one per order.
    package var concurrency = 64
    /// Records up to this one are never delivered.
    package var startsAfter = 0
    /// Beside those of the message. A value may be a secret: nothing shows it.
    package var headers: [Header] = []
    /// Proxy, authorities, client certificate, and which addresses may be called.
    package var way = WebRoute()

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
