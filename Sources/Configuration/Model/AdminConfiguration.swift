import HTTPServer
import Platform
import SystemPackage

/// The listener for the merchant's own systems and people.
package struct AdminConfiguration: Sendable {
    package var address: SocketAddress
    /// The Bearer token; nil only on loopback or a Unix-domain socket, where it may be left out.
    package var token: [UInt8]?
    package var tls: TLSConfiguration?
    /// Of a Unix-domain socket's file; nil leaves it to the umask.
    package var permissions: FilePermissions?

    /// The same for the server.
    package var settings: ListenerSettings {
        ListenerSettings(address: address, tls: tls?.context, permissions: permissions)
    }
}
