import HTTP

extension Response {
    /// The answer to a connection beyond a limit.
    static func overloaded(reason: String) -> Response {
        Response(
            status: 503, fields: [("Content-Type", "text/plain"), ("Retry-After", "1")],
            body: Array("\(reason)\n".utf8))
    }
}
