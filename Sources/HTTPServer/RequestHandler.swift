package import HTTP
package import Platform
import Synchronization

/// Answers the requests of a server.
package protocol RequestHandler: Sendable {
    /// Whether requests may be held until the client closes (`ClientPresence`). If not, the kernel
    /// is not asked to report it.
    var watchesClients: Bool { get }

    /// Whether each request's context says when it began, and reports when it was answered. Costs a
    /// context for each request, and nothing otherwise.
    var timesRequests: Bool { get }

    /// Answers a request. Called on the connection's event loop; may suspend. The connection reads
    /// nothing meanwhile.
    func respond(to request: Request, in context: RequestContext) async -> Response

    /// Records that the server itself refused something (a malformed request, a limit, a failed
    /// handshake), for the log and the metrics. `status` is nil if no answer could be sent.
    func refused(_ reason: String, status: Int?, in context: RequestContext)

    /// Records that the client broke an idle connection, which loses no request.
    func closedIdle(_ reason: String, in context: RequestContext)

    /// The answer to a request that HTTP itself refused, in the handler's own form. `path` is nil
    /// if the request line was not read completely.
    func answer(to error: HTTPError, path: ArraySlice<UInt8>?) -> Response
}

extension RequestHandler {
    package var watchesClients: Bool { true }

    package var timesRequests: Bool { false }

    package func closedIdle(_ reason: String, in context: RequestContext) {}

    package func answer(to error: HTTPError, path: ArraySlice<UInt8>?) -> Response {
        Response(error)
    }
}

/// The sender of a request and the kind of its connection. A class, because nearly all requests of
/// a connection share one instance.
package final class RequestContext: Sendable {
    /// The other end of the socket, or the source that the PROXY protocol names.
    package let peer: SocketAddress
    /// The client that the trusted proxies report; otherwise the peer.
    package let client: IPAddress?
    /// The client for logs: its address without port, or `unix`.
    package let clientText: String
    /// Whether the listener uses TLS.
    package let isTLS: Bool
    /// The subject of the client's certificate, if the listener requests one.
    package let clientCertificate: String?
    /// Reports when the client closes while its request is held.
    package let presence: ClientPresence
    /// Whether the peer is one of the listener's trusted proxies.
    package let isFromProxy: Bool
    /// Of a handler that times requests (`RequestHandler.timesRequests`).
    package let timing: RequestTiming?

    package init(
        peer: SocketAddress, client: IPAddress?, isTLS: Bool, clientCertificate: String?,
        presence: ClientPresence = .unwatched, isFromProxy: Bool = false,
        timing: RequestTiming? = nil
    ) {
        self.peer = peer
        self.client = client
        self.clientText = client?.description ?? "unix"
        self.isTLS = isTLS
        self.clientCertificate = clientCertificate
        self.presence = presence
        self.isFromProxy = isFromProxy
        self.timing = timing
    }

    /// The context of a connection without a request.
    convenience init(of peer: SocketAddress, isTLS: Bool) {
        var client: IPAddress?
        if case .ip(let address, _) = peer { client = address }
        self.init(peer: peer, client: client, isTLS: isTLS, clientCertificate: nil)
    }
}

/// When a request began and when its answer was written.
package final class RequestTiming: Sendable {
    /// When its first byte was parsed.
    package let began: MonotonicTime
    private let action = Mutex<(@Sendable (_ status: Int) -> Void)?>(nil)

    package init(began: MonotonicTime) { self.began = began }

    /// Calls `action` when the answer is written, or the connection has ended without that.
    package func onWritten(_ action: @escaping @Sendable (_ status: Int) -> Void) {
        self.action.withLock { $0 = action }
    }

    /// Reports that the answer is written, or never will be.
    package func written(status: Int) {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?(status)
    }
}

/// Whether a connection's client is still connected, for handlers that hold a request.
///
/// A client that has closed only its sending side counts as gone: it could still be answered, but
/// is not worth waiting for.
package final class ClientPresence: Sendable {
    private struct State: ~Copyable {
        var hasEnded = false
        var next = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// For requests that are not held: never reports an end.
    package static let unwatched = ClientPresence()

    /// Whether the client has closed.
    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Runs `action` when the client closes, or at once if it already has. Pass the returned number
    /// to `forget`.
    package func whenEnded(_ action: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            if state.hasEnded { return nil }
            state.next += 1
            state.actions[state.next] = action
            return state.next
        }
        if let number { return number }
        action()
        return 0
    }

    /// Removes an action of `whenEnded`.
    package func forget(_ number: Int) {
        state.withLock { _ = $0.actions.removeValue(forKey: number) }
    }

    /// Reports that the client has closed.
    package func end() {
        let actions = state.withLock { state in
            state.hasEnded = true
            return exchange(&state.actions, with: [:])
        }
        for action in actions.values { action() }
    }
}
