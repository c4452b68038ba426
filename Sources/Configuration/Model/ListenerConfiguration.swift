import HTTPServer
import Platform

/// One address that notifications come in by.
package struct ListenerConfiguration: Sendable {
    package var address: SocketAddress
    package var tls: TLSConfiguration?
    package var proxy: ProxySettings

    /// The same for the server.
    package var settings: ListenerSettings {
        ListenerSettings(address: address, tls: tls?.context, proxy: proxy)
    }
}
