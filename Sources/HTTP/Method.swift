/// A request method. It is case-sensitive (RFC 9110 §9.1): `get` is another method than `GET`.
package enum Method: Sendable, Hashable {
    case get
    case head
    case post
    /// Any other token. The parser refuses it with 405, so a `Request` never carries it.
    case other(String)

    /// The methods served, as the `Allow` field of a 405 lists them (RFC 9110 §10.2.1).
    package static var allowed: String { "GET, HEAD, POST" }

    /// The method's name as it stands on the request line.
    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
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
        } else {
            self = .other(token.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }
    }
}
