import Platform
import RawClient
import ServerConfiguration

/// The destination of the notifications of a trial, and the path that they are signed for.
package struct SimulationDestination: Sendable, Equatable {
    package let destination: Destination
    /// The request target on the wire.
    package let target: String
    /// The path and query of the provider's URL, which it signs.
    package let signedPath: String

    /// | given | sent to | signed for |
    /// |---|---|---|
    /// | no URL | the first listener, the endpoint's `path` | its `publicPath` |
    /// | a socket without a path | that socket, `path` | `publicPath` |
    /// | a URL without a path | that public host, `publicPath` | `publicPath` |
    /// | a URL with a path | that URL | its path and query |
    ///
    /// - Throws: `noDestination` if no listener can be reached.
    package init(
        _ configuration: Configuration, _ endpoint: EndpointConfiguration, url: Destination?
    ) throws(SimulationError) {
        guard let url else {
            destination = try Self.firstListener(of: configuration)
            target = endpoint.path
            signedPath = endpoint.publicPath
            return
        }
        destination = url
        if let given = url.target {
            target = given
            signedPath = given
        } else if case .unix = url.place {
            target = endpoint.path
            signedPath = endpoint.publicPath
        } else {
            target = endpoint.publicPath
            signedPath = endpoint.publicPath
        }
    }

    private static func firstListener(
        of configuration: Configuration
    ) throws(SimulationError) -> Destination {
        // A listener for the PROXY protocol requires a header that only a proxy sends.
        guard let listener = configuration.listeners.first(where: { !$0.proxy.usesProxyProtocol })
        else {
            throw .noDestination(
                "every listener of this configuration expects the PROXY protocol: give the "
                    + "proxy's own address with --url")
        }
        let usesTLS = listener.tls != nil
        switch listener.address {
        case .unix(let path): return Destination(place: .unix(path: path), usesTLS: usesTLS)
        case .ip(_, 0):
            throw .noDestination(
                "the listener's port is 0, which the kernel chooses at the start: give the "
                    + "address from the server's `ready` line with --url")
        case .ip(let address, let port):
            return Destination(
                place: .host(Self.reachable(address).description, port: port), usesTLS: usesTLS)
        }
    }

    /// The loopback address for a wildcard address.
    private static func reachable(_ address: IPAddress) -> IPAddress {
        guard address.bytes.allSatisfy({ $0 == 0 }) else { return address }
        switch address {
        case .v4: return .v4([127, 0, 0, 1])
        case .v6: return .v6([UInt8](repeating: 0, count: 15) + [1])
        }
    }
}
