/// An answer before it is encoded. `ResponseEncoder` adds what HTTP itself requires.
package struct Response: Sendable {
    /// 200 to 599.
    package var status: Int { didSet { lines = nil } }
    /// Field lines other than `Date`, `Content-Length`, `Connection` and `Transfer-Encoding`, which
    /// the encoder adds.
    package var fields: [(String, String)] { didSet { lines = nil } }
    package var body: [UInt8] { didSet { lines = nil } }
    /// Produces the body in place of `body`, if that is too long or too slow to hold in memory. It
    /// is sent in chunks (RFC 9112 §7.1); if it throws, the connection ends without the last chunk,
    /// so that the client can detect the missing part.
    package var stream: (@Sendable (any BodyWriter) async throws -> Void)? {
        didSet { lines = nil }
    }
    /// The encoded lines of `fields` and of the body's length, if the response was `prepared`.
    private(set) var lines: [UInt8]?

    package init(status: Int, fields: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The same answer with its lines encoded beforehand, for an answer that is sent many times.
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

/// Takes a response's body part by part (`Response.stream`).
package protocol BodyWriter: AnyObject {
    /// Sends the next part, given as several arrays. They are not copied, so that many clients can
    /// wait for the same ones. Returns after the socket has taken them, so a producer cannot outrun
    /// the client. An empty part sends nothing.
    ///
    /// Throws `BodyWriterError` after the client has closed or stopped reading.
    func write(_ pieces: [[UInt8]]) async throws(BodyWriterError)
}

extension BodyWriter {
    package func write(_ bytes: [UInt8]) async throws(BodyWriterError) { try await write([bytes]) }
}

/// Why a body could not be sent completely.
package enum BodyWriterError: Error, Sendable {
    /// The client no longer reads: produce nothing further.
    case clientGone
}

/// The phrase of a status line. Clients ignore it (RFC 9112 §4), but people read it in captures.
enum ReasonPhrase {
    static func of(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
