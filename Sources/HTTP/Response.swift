/// An answer before it is bytes. `ResponseEncoder` adds what HTTP itself needs.
package struct Response: Sendable {
    /// 200 to 599.
    package var status: Int { didSet { lines = nil } }
    /// Field lines besides `Date`, `Content-Length`, `Connection` and `Transfer-Encoding`, which
    /// are the encoder's.
    package var fields: [(String, String)] { didSet { lines = nil } }
    package var body: [UInt8] { didSet { lines = nil } }
    /// Produces the body in place of `body`, for what is too long or too slow to hold in memory.
    /// It goes out in chunks (RFC 9112 §7.1); when it throws, the connection ends without the last
    /// chunk, so that the client knows that something is missing.
    package var stream: (@Sendable (any BodyWriter) async throws -> Void)? {
        didSet { lines = nil }
    }
    /// The lines of `fields` and of the body's length as they go out, where that was `prepared`.
    private(set) var lines: [UInt8]?

    package init(status: Int, fields: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The same answer with its lines written beforehand: for one that is sent again and again.
    package func prepared() -> Response {
        var lines: [UInt8] = []
        ResponseEncoder.encodeLines(of: self, version: .http11, into: &lines)
        var response = self
        if stream == nil { response.lines = lines }
        return response
    }

    /// The answer to a refused request: the reason code as plain text, and `Allow` for a 405.
    package init(_ error: HTTPError) {
        self.init(
            status: error.status, fields: [("Content-Type", "text/plain")],
            body: Array(error.reason.utf8) + [ByteClass.lineFeed])
        if let allow = error.allow { fields.append(("Allow", allow)) }
    }
}
