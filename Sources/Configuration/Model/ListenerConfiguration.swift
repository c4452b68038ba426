import HTTPServer
import Platform
import SystemPackage

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
