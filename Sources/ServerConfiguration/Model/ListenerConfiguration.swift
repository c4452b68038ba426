import HTTPServer
import Platform
import SystemPackage
import TLS

/// An address at which notifications arrive.
package struct ListenerConfiguration: Sendable {
    package var address: SocketAddress
    package var tls: TLSConfiguration?
    package var proxy: ProxySettings
    /// The mode of a Unix-domain socket's file; nil leaves it to the umask.
    package var permissions: FilePermissions?

    /// The settings in the server's form.
    package var settings: ListenerSettings {
        ListenerSettings(
            address: address, tls: tls?.context, proxy: proxy, permissions: permissions)
    }
}

/// The certificates of a listener.
package struct TLSConfiguration: Sendable {
    /// A certificate file and its key file, as absolute paths.
    package struct Pair: Sendable, Equatable {
        package var certificate: String
        package var key: String
    }

    package var primary: Pair
    /// The file of the authorities of client certificates; clients without a certificate are
    /// rejected.
    package var clientCA: String?
    /// Further certificates, chosen by the host name that the client sends.
    package var additional: [Pair]
    /// The context loaded from those files, which exist and match.
    package var context: TLSContext
}
