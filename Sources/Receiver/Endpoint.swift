import HTTP
import Platform
import Providers

/// One path that a provider sends notifications to.
///
/// A class, because every request passes it along and a reference is cheaper than ten.
package final class Endpoint: Sendable {
    /// The configured name; part of an order's identity.
    package let name: String
    /// The path that requests arrive on.
    package let path: [UInt8]
    /// The path that the provider signed: the public path if a proxy rewrites it.
    package let signedPath: ArraySlice<UInt8>
    /// The system's name in the registry.
    package let providerName: String
    package let provider: any Provider
    /// The marks by which its notifications are recognised at a wrong path.
    let marks: Marks
    /// The networks that may deliver here; empty means all.
    package let allow: [IPNetwork]
    /// The networks that may send messages that the provider never signs; empty means none.
    package let unsignedFrom: [IPNetwork]
    let counters: EndpointCounters
    /// The answer to every notification that was stored.
    let acceptance: Response

    package init(
        name: String, path: String, publicPath: String?, providerName: String,
        provider: any Provider, marks: Marks = Marks(), allow: [IPNetwork],
        unsignedFrom: [IPNetwork] = [], counters: EndpointCounters
    ) {
        self.name = name
        self.path = Array(path.utf8)
        signedPath = Array((publicPath ?? path).utf8)[...]
        self.providerName = providerName
        self.provider = provider
        self.marks = marks
        self.allow = allow
        self.unsignedFrom = unsignedFrom
        self.counters = counters
        acceptance = Response(provider.answer(.accepted)).prepared()
    }

    func admits(_ client: IPAddress?) -> Bool {
        guard !allow.isEmpty else { return true }
        guard let client else { return false }
        return allow.contains { $0.contains(client) }
    }

    /// Whether a message without a signature is accepted for verification.
    func takesUnsigned(from client: IPAddress?) -> Bool {
        guard !unsignedFrom.isEmpty, let client else { return false }
        return unsignedFrom.contains { $0.contains(client) }
    }
}

/// Finds the endpoint of a path. Paths match byte for byte: the provider signs the path as it sends
/// it, so another spelling of it could not be verified.
package struct EndpointTable: Sendable {
    /// The endpoints in the configuration's order. For a few of them, a scan that compares lengths
    /// first is cheaper than hashing the path.
    package let endpoints: [Endpoint]
    /// The systems whose notifications are recognised at an unknown path.
    let providers: ProviderCatalog
    /// Bytes of a body that are inspected at an unknown path for the marks of a notification.
    let inspectedBytesMax: Int

    package init(
        _ endpoints: [Endpoint], providers: ProviderCatalog = .written, inspectedBytesMax: Int
    ) {
        self.endpoints = endpoints
        self.providers = providers
        self.inspectedBytesMax = inspectedBytesMax
    }

    subscript(path: ArraySlice<UInt8>) -> Endpoint? {
        for endpoint in endpoints
        where endpoint.path.count == path.count && endpoint.path[...] == path {
            return endpoint
        }
        return nil
    }
}
