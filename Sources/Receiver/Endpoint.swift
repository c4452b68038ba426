import HTTP
import Platform
import Providers

/// One address that a provider sends notifications to.
///
/// A class, because every request passes it along and a reference is cheaper than ten.
package final class Endpoint: Sendable {
    /// As configured; part of an order's identity.
    package let name: String
    /// The path that requests arrive on.
    package let path: [UInt8]
    /// The path that the provider signed: the public one, where a proxy rewrites it.
    package let signedPath: ArraySlice<UInt8>
    /// The system's name in the registry.
    package let providerName: String
    package let provider: any Provider
    /// What its notifications are recognised by where they came to a wrong path.
    let marks: Marks
    /// The networks that may deliver here; empty means all.
    package let allow: [IPNetwork]
    /// The networks that messages may come from which the provider never signs; empty means none.
    package let unsignedFrom: [IPNetwork]
    let counters: EndpointCounters
    /// What this provider is told of everything that is kept: always the same.
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

    /// Whether a message without a signature is looked at.
    func takesUnsigned(from client: IPAddress?) -> Bool {
        guard !unsignedFrom.isEmpty, let client else { return false }
        return unsignedFrom.contains { $0.contains(client) }
    }
}

/// Finds the endpoint of a path. Paths match byte for byte: a provider signs the path as it sends
/// it, so a second spelling of it could not be verified anyway.
package struct EndpointTable: Sendable {
    /// In the configuration's order. A merchant has a handful of endpoints: a scan that compares
    /// lengths first is cheaper than hashing the path.
    package let endpoints: [Endpoint]
    /// Bytes of a body at an unknown path that are read to find out whether it is a notification.
    let inspectedBytesMax: Int

    package init(_ endpoints: [Endpoint], inspectedBytesMax: Int) {
        self.endpoints = endpoints
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
