import HTTP
import TLS

/// Why a connection ends before its client is done.
enum ConnectionEnd: Error {
    /// In order: the client closed, or the connection was idle for too long.
    case closed
    /// Nothing can be said to the client any more.
    case broken(ConnectionFault)
    /// The client gets this answer, then the connection closes.
    case refused(HTTPError)
}

/// What broke a connection.
enum ConnectionFault: Equatable {
    /// The peer reset it, or the kernel gave it up.
    case reset
    case tls(TLSError)
    case tlsHandshakeTimeout
    /// Another handshake got its place.
    case tlsHandshakeDisplaced
    case proxyHeader(ProxyProtocolHeader.Fault)
    case proxyHeaderTimeout
    /// A PROXY header is required, and this peer is not a trusted proxy.
    case proxyHeaderUntrusted
    /// The client takes nothing of an answer for too long.
    case writeStalled
    /// Others need the memory of an answer that the client takes slowly.
    case readerDropped
    /// There is no memory for one more answer that is taken slowly.
    case answersLimit

    /// The peer ended the connection, if in an unfriendly way: haproxy resets those that it no
    /// longer needs, and many clients leave out TLS's own end.
    var isPeersEnd: Bool {
        switch self {
        case .reset, .tls(.unexpectedEOF), .tls(.connectionLost): true
        default: false
        }
    }

    /// The reason code.
    var reason: String {
        switch self {
        case .reset: "connection_reset"
        case .tls(let error): error.reason
        case .tlsHandshakeTimeout: "tls_handshake_timeout"
        case .tlsHandshakeDisplaced: "tls_handshake_displaced"
        case .proxyHeader(let fault): fault.rawValue
        case .proxyHeaderTimeout: "proxy_header_timeout"
        case .proxyHeaderUntrusted: "proxy_header_untrusted"
        case .writeStalled: "write_stalled"
        case .readerDropped: "reader_dropped"
        case .answersLimit: "answers_limit"
        }
    }
}
