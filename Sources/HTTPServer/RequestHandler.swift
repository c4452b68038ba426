import HTTP

/// What the server serves: a request in, a response out.
package protocol RequestHandler: Sendable {
    /// Called on the connection's event loop; may suspend. The connection reads nothing meanwhile.
    func respond(to request: Request, in context: RequestContext) async -> Response

    /// The server itself refused something (a malformed request, a limit, a failed handshake):
    /// for the log and the metrics. `status` is nil where no answer could be sent.
    func refused(_ reason: String, status: Int?, in context: RequestContext)

    /// A round of requests has been handed over on one loop, which now looks for more: what the
    /// handler put off so that it is done once for all of them is due.
    func roundEnded()
}

extension RequestHandler {
    package func roundEnded() {}
}
