import HTTP

/// Why a connection ends before its client is done.
enum ConnectionEnd: Error {
    /// In order: the client closed, or the connection was idle for too long.
    case closed
    /// Nothing can be said to the client any more, e.g. a reset or a failed handshake; the reason
    /// code.
    case broken(String)
    /// The client gets this answer, then the connection closes.
    case refused(HTTPError)
}
