import HTTP
import Platform
import Synchronization

/// What the server serves: a request in, a response out.
package protocol RequestHandler: Sendable {
    /// Whether requests may be held until the client goes (`ClientPresence`). Where they are not,
    /// the kernel is not asked to tell.
    var watchesClients: Bool { get }

    /// Called on the connection's event loop; may suspend. The connection reads nothing meanwhile.
    func respond(to request: Request, in context: RequestContext) async -> Response

    /// The server itself refused something (a malformed request, a limit, a failed handshake):
    /// for the log and the metrics. `status` is nil where no answer could be sent.
    func refused(_ reason: String, status: Int?, in context: RequestContext)

    /// The client broke a connection on which no request had begun: nobody missed anything.
    func closedIdle(_ reason: String, in context: RequestContext)

    /// The answer to what HTTP itself refused before it was a request, in this side's own form.
    /// `path` is nil where the request line was not read to its end.
    func answer(to error: HTTPError, path: ArraySlice<UInt8>?) -> Response
}

extension RequestHandler {
    package var watchesClients: Bool { true }

    package func closedIdle(_ reason: String, in context: RequestContext) {}

    package func answer(to error: HTTPError, path: ArraySlice<UInt8>?) -> Response {
        Response(error)
    }
}

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
        presence: ClientPresence = .unwatched
    ) {
        self.peer = peer
        self.client = client
        self.clientText = client?.description ?? "unix"
        self.isTLS = isTLS
        self.clientCertificate = clientCertificate
        self.presence = presence
    }
}

/// Whether a connection's client is still there, for handlers that hold a request.
///
/// A client that has closed only its sending side counts as gone too: it can still be answered,
/// but it is not worth waiting for.
package final class ClientPresence: Sendable {
    private struct State: ~Copyable {
        var hasEnded = false
        var next = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// For requests that nobody holds: it tells nothing.
    package static let unwatched = ClientPresence()

    /// Whether the client has gone.
    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Runs `action` when the client goes, at once if it has gone already. The number is for
    /// `forget`.
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

    /// Takes back what `whenEnded` was given.
    package func forget(_ number: Int) {
        state.withLock { _ = $0.actions.removeValue(forKey: number) }
    }

    /// The client has gone.
    package func end() {
        let actions = state.withLock { state in
            state.hasEnded = true
            return exchange(&state.actions, with: [:])
        }
        for action in actions.values { action() }
    }
}
