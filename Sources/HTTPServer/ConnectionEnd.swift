import HTTP
import TLS

/// Why a connection ends before its client is done.
enum ConnectionEnd: Error {
    /// An orderly end: the client closed, or the connection was idle for too long.
    case closed
    /// No answer can be sent any more.
    case broken(ConnectionFault)
    /// The client gets this answer, then the connection closes.
    case refused(HTTPError)
}

/// A fault that broke a connection.
enum ConnectionFault: Equatable {
    /// The peer reset the connection, or the kernel gave it up.
    case reset
    case tls(TLSError)
    case tlsHandshakeTimeout
    /// Another handshake took its place.
    case tlsHandshakeDisplaced
    case proxyHeader(ProxyProtocolHeader.Fault)
    case proxyHeaderTimeout
    /// A PROXY header is required, but this peer is not a trusted proxy.
    case proxyHeaderUntrusted
    /// The client read nothing of an answer for too long.
    case writeStalled
    /// The memory of an answer that the client read slowly was needed.
    case readerDropped
    /// No memory is left for another answer that is read slowly.
    case answersLimit

    /// Whether the peer ended the connection, if not in the proper form: haproxy resets connections
    /// that it no longer needs, and many clients omit TLS's `close_notify`.
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
