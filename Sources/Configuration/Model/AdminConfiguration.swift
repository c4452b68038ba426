import HTTPServer
import Platform

/// The listener for the merchant's own systems and people.
package struct AdminConfiguration: Sendable {
    package var address: SocketAddress
    /// The Bearer token; nil only on loopback or a Unix-domain socket, where it may be left out.
    package var token: [UInt8]?
    package var tls: TLSConfiguration?

    /// The same for the server.
    package var settings: ListenerSettings {
        ListenerSettings(address: address, tls: tls?.context)
    }
}
