import HTTP

extension Response {
    /// The server's own answer to a request that it does not understand: the reason code as text,
    /// so that whoever reads the sender's log finds it in ours.
    static func refusal(_ error: HTTPError) -> Response {
        var fields = [("Content-Type", "text/plain")]
        if let allow = error.allow { fields.append(("Allow", allow)) }
        return Response(status: error.status, fields: fields, body: Array("\(error.reason)\n".utf8))
    }

    /// The answer to a connection beyond a limit.
    static func overloaded(reason: String) -> Response {
        Response(
            status: 503, fields: [("Content-Type", "text/plain"), ("Retry-After", "1")],
            body: Array("\(reason)\n".utf8))
    }
}
