import Platform
import Providers

/// One path that one provider sends its notifications to.
package struct EndpointConfiguration: Sendable {
    /// Unique; it stands in journal, metrics and commands.
    package var name: String
    /// As requests have it when they come in here.
    package var path: String
    /// As the provider calls it, where a proxy rewrites it; signatures may cover it.
    package var publicPath: String
    /// The system, a key of `ProviderRegistry.all`.
    package var system: String
    /// The provider's rules with this endpoint's settings.
    package var provider: any Provider
    package var settings: EndpointSettings
    /// The networks that clients may come from; empty allows all.
    package var allow: [IPNetwork]
    /// The networks that chargeback callbacks may come from which ecommpay never signs; empty takes
    /// none.
    package var unsignedFrom: [IPNetwork]
    /// The public keys by version, for people to compare.
    package var fingerprints: [KeyFingerprint]
    /// Where the secrets come from, in their order; never what they are.
    package var secretSources: [SecretSource]

    /// Whether a client may send to this endpoint. `nil` is a client on a Unix-domain socket whose
    /// proxy named no address.
    package func allows(_ client: IPAddress?) -> Bool {
        if allow.isEmpty { return true }
        guard let client else { return false }
        return allow.contains { $0.contains(client) }
    }
}
