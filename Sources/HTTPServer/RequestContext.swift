import Platform

/// Who sent a request, and over what. An object, because one serves nearly all requests of a
/// connection.
package final class RequestContext: Sendable {
    /// The other end of the socket, or what the PROXY protocol said in its place.
    package let peer: SocketAddress
    /// The client as the trusted proxies tell it; the peer where there is none.
    package let client: IPAddress?
    /// The client for people: its address without port, or `unix`.
    package let clientText: String
    /// Whether this listener speaks TLS.
    package let isTLS: Bool
    /// The subject of the client's certificate, where the listener asks for one.
    package let clientCertificate: String?
    /// Says when the client goes while its request is held.
    package let presence: ClientPresence

    package init(
        peer: SocketAddress, client: IPAddress?, isTLS: Bool, clientCertificate: String?,
        presence: ClientPresence = ClientPresence()
    ) {
        self.peer = peer
        self.client = client
        self.clientText = client?.description ?? "unix"
        self.isTLS = isTLS
        self.clientCertificate = clientCertificate
        self.presence = presence
    }
}
