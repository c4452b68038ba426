import Glibc
package import TLS

/// Why there is no answer.
package enum ClientError: Error, Equatable, Sendable {
    /// A step that has a deadline.
    package enum Phase: String, Sendable {
        case connect, handshake, request, answer
    }

    /// The name could not be resolved, with the resolver's message.
    case nameNotResolved(host: String, detail: String)
    /// Connection refused.
    case refused(String)
    /// The server is unreachable, e.g. EHOSTUNREACH, or ENOENT for a socket file.
    case unreachable(String, errno: Int32)
    /// The deadline passed.
    case timedOut(Phase)
    /// TLS failed.
    case tls(TLSError)
    /// The connection ended before the answer was complete.
    case closed(afterBytes: Int)
    /// The connection broke, e.g. ECONNRESET.
    case lost(errno: Int32)
    /// The answer is not valid HTTP/1.1.
    case malformed(String)
    /// The answer exceeds the limit of this name.
    case tooLarge(String)

    /// The snake_case code for tables and JSON.
    package var reason: String {
        switch self {
        case .nameNotResolved: "name_not_resolved"
        case .refused: "connection_refused"
        case .unreachable: "unreachable"
        case .timedOut(let phase): "timeout_\(phase.rawValue)"
        case .tls(let error): error.reason
        case .closed: "connection_closed"
        case .lost: "connection_lost"
        case .malformed: "malformed_response"
        case .tooLarge: "response_too_large"
        }
    }

    /// Whether no connection was established, so that nothing was sent.
    package var isConnectFailure: Bool {
        switch self {
        case .nameNotResolved, .refused, .unreachable, .timedOut(.connect), .timedOut(.handshake),
            .tls(.handshake), .tls(.plainHTTP), .tls(.setupFailed):
            true
        default: false
        }
    }
}

extension ClientError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .nameNotResolved(let host, let detail): "\(host) cannot be resolved: \(detail)"
        case .refused(let address): "\(address): connection refused"
        case .unreachable(let address, let code):
            unsafe "\(address): server unreachable: \(String(cString: strerror(code)))"
        case .timedOut(let phase): "timed out (\(phase.rawValue))"
        case .tls(let error): "\(error)"
        case .closed(0): "the connection was closed without an answer"
        case .closed(let count): "the connection was closed after \(count) bytes of the answer"
        case .lost(let code): unsafe "connection lost: \(String(cString: strerror(code)))"
        case .malformed(let what): "the answer is not HTTP/1.1: \(what)"
        case .tooLarge(let limit): "the answer is longer than \(limit)"
        }
    }
}
