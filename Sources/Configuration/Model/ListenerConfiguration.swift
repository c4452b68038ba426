import HTTPServer
import Platform
import SystemPackage
import TLS

/// One address that notifications come in by.
package struct ListenerConfiguration: Sendable {
    package var address: SocketAddress
    package var tls: TLSConfiguration?
    package var proxy: ProxySettings
    /// Of a Unix-domain socket's file; nil leaves it to the umask.
    package var permissions: FilePermissions?

    /// The same for the server.
    package var settings: ListenerSettings {
        ListenerSettings(
            address: address, tls: tls?.context, proxy: proxy, permissions: permissions)
    }
}

/// The certificates of a listener.
package struct TLSConfiguration: Sendable {
    /// A certificate file with its key file, absolute paths.
    package struct Pair: Sendable, Equatable {
        package var certificate: String
        package var key: String
    }

    package var primary: Pair
    /// Authorities of client certificates; a client without one is refused.
    package var clientCA: String?
    /// More certificates, picked by the host that the client names.
    package var additional: [Pair]
    /// Loaded from those files: they exist and match.
    package var context: TLSContext
}
