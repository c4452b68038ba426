/// An answer before it is bytes. `ResponseEncoder` adds what HTTP itself needs.
package struct Response: Sendable {
    /// 200 to 599.
    package var status: Int
    /// Field lines besides `Date`, `Content-Length`, `Connection` and `Transfer-Encoding`, which
    /// are the encoder's.
    package var fields: [(String, String)]
    package var body: [UInt8]
    /// Produces the body in place of `body`, for what is too long or too slow to hold in memory.
    /// It goes out in chunks (RFC 9112 §7.1); when it throws, the connection ends without the last
    /// chunk, so that the client knows that something is missing.
    package var stream: (@Sendable (any BodyWriter) async throws -> Void)?

    package init(status: Int, fields: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The answer to a refused request: the reason code as plain text, and `Allow` for a 405.
    package init(_ error: HTTPError) {
        self.init(
            status: error.status, fields: [("Content-Type", "text/plain")],
            body: Array(error.reason.utf8) + [ByteClass.lineFeed])
        if let allow = error.allow { fields.append(("Allow", allow)) }
    }
}
