import Bytes

/// A whole request: head and body. Everything in it has passed the parser's rules.
package struct Request: Sendable {
    package let method: Method
    /// The target in origin-form (path and query), byte for byte as received. Of an absolute-form
    /// target it is the part after the authority.
    package let target: ArraySlice<UInt8>
    /// The target up to the first `?`, percent-encoding as received. It starts with `/`.
    package let path: ArraySlice<UInt8>
    /// What follows the first `?`, without it; nil when there is none, empty when nothing follows.
    package let query: ArraySlice<UInt8>?
    package let version: Version
    /// The field lines in the order received; lines of one name stay apart.
    package let fields: [Header]
    /// The content, with chunked already taken off.
    package let body: [UInt8]
    /// Whether the sender wants the connection kept (RFC 9112 §9.3).
    package let keepAlive: Bool

    /// The values of all field lines of this name, in the order received. The name is lower case.
    package func values(_ lowercasedName: String) -> [ArraySlice<UInt8>] {
        fields.filter { $0.isNamed(lowercasedName) }.map(\.value)
    }

    package init(
        method: Method, target: ArraySlice<UInt8>, path: ArraySlice<UInt8>,
        query: ArraySlice<UInt8>?,
        version: Version, fields: [Header], body: [UInt8], keepAlive: Bool
    ) {
        self.method = method
        self.target = target
        self.path = path
        self.query = query
        self.version = version
        self.fields = fields
        self.body = body
        self.keepAlive = keepAlive
    }
}

/// A request method. It is case-sensitive (RFC 9110 §9.1): `get` is another method than `GET`.
package enum Method: Sendable, Hashable {
    case get
    case head
    case post
    case put
    /// Any other token. The parser refuses it with 405, so a `Request` never carries it.
    case other(String)

    /// The methods served, as the `Allow` field of a 405 lists them (RFC 9110 §10.2.1).
    package static var allowed: String { "GET, HEAD, POST, PUT" }

    /// The method's name as it is on the request line.
    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .other(let name): name
        }
    }

    /// The method whose name these bytes are; they must be a token.
    init(token: Span<UInt8>) {
        if token.matches("GET") {
            self = .get
        } else if token.matches("POST") {
            self = .post
        } else if token.matches("HEAD") {
            self = .head
        } else if token.matches("PUT") {
            self = .put
        } else {
            self = .other(token.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }
    }
}

/// The versions that this server speaks. A later 1.x counts as 1.1 (RFC 9110 §2.5); another major
/// version is refused with 505.
package enum Version: Sendable, Hashable {
    case http10
    case http11
}
