package import Bytes

/// A complete request: head and body. Everything in it has passed the parser's checks.
package struct Request: Sendable {
    package let method: Method
    /// The target in origin-form (path and query), exactly as received. For an absolute-form
    /// target, the part after the authority.
    package let target: ArraySlice<UInt8>
    /// The target up to the first `?`, with percent-encoding as received. It starts with `/`.
    package let path: ArraySlice<UInt8>
    /// The part after the first `?`; nil without a `?`, empty if nothing follows it.
    package let query: ArraySlice<UInt8>?
    package let version: Version
    /// The field lines in the order received; lines with the same name are not joined.
    package let fields: [Header]
    /// The content, decoded from chunks.
    package let body: [UInt8]
    /// Whether the client wants to keep the connection open (RFC 9112 §9.3).
    package let keepAlive: Bool

    /// The values of all field lines with this name (in lower case), in the order received.
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

/// A request method. Case-sensitive (RFC 9110 §9.1): `get` is not `GET`.
package enum Method: Sendable, Hashable {
    case get
    case head
    case post
    case put
    /// Any other token. The parser refuses it with 405, so a `Request` never carries it.
    case other(String)

    /// The supported methods, for the `Allow` field of a 405 (RFC 9110 §10.2.1).
    package static var allowed: String { "GET, HEAD, POST, PUT" }

    /// The method's name on the request line.
    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .other(let name): name
        }
    }

    /// The method with this name, which must be a token.
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
            self = unsafe .other(
                token.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) })
        }
    }
}

/// The supported versions. A later 1.x counts as 1.1 (RFC 9110 §2.5); another major version is
/// refused with 505.
package enum Version: Sendable, Hashable {
    case http10
    case http11
}

/// The parts of a request target (RFC 9112 §3.2). Origin-form and absolute-form are supported.
struct RequestTarget: Sendable {
    /// The host and port of an absolute-form target.
    var authority: Range<Int>?
    /// Path and query in the head; empty for an absolute-form target without a path.
    var originForm: Range<Int>
    var path: Range<Int>
    var query: Range<Int>?

    /// Parses the target at `range`. `*` and authority-form belong to OPTIONS and CONNECT, which
    /// are not supported: with these methods they are accepted here, so that the answer can be a
    /// 405.
    init(
        _ head: Span<UInt8>, at range: Range<Int>, method: Method
    ) throws(HTTPError.Cause) {
        var start = range.lowerBound
        if head[start] != ByteClass.slash {
            if Self.isOtherForm(head.extracting(range), of: method) {
                originForm = range
                path = range
                return
            }
            start = try Self.authorityStart(head, range)
            var end = start
            while end < range.upperBound, head[end] != ByteClass.slash,
                head[end] != ByteClass.questionMark
            { end += 1 }
            let authority = start..<end
            // RFC 9110 §4.2.1: an http URI with an empty host is invalid.
            guard HostRules.isValid(head.extracting(authority)) else { throw .targetFormInvalid }
            self.authority = authority
            start = end
        }
        originForm = start..<range.upperBound
        path = originForm
        try split(head)
    }

    /// Finds the `?` and checks what the scanner's character set cannot: percent-encoding, and
    /// brackets, which are allowed only in an IPv6 host (RFC 3986 §3.3, §3.4).
    private mutating func split(_ head: Span<UInt8>) throws(HTTPError.Cause) {
        var index = originForm.lowerBound
        let end = originForm.upperBound
        while index < end {
            switch head[index] {
            case ByteClass.questionMark where query == nil:
                path = originForm.lowerBound..<index
                query = (index + 1)..<end
            case ByteClass.percent:
                guard index + 2 < end, ByteClass.hexValue(head[index + 1]) != nil,
                    ByteClass.hexValue(head[index + 2]) != nil
                else { throw .targetPercentInvalid }
            case ByteClass.bracketOpen, ByteClass.bracketClose:
                throw .targetInvalid
            default:
                break
            }
            index += 1
        }
    }

    private static func authorityStart(
        _ head: Span<UInt8>, _ range: Range<Int>
    ) throws(HTTPError.Cause) -> Int {
        // RFC 3986 §3.1: schemes are case-insensitive.
        let target = head.extracting(range)
        if target.count > 7, target.extracting(first: 7).matches(lowercased: "http://") {
            return range.lowerBound + 7
        }
        if target.count > 8, target.extracting(first: 8).matches(lowercased: "https://") {
            return range.lowerBound + 8
        }
        throw .targetFormInvalid
    }

    private static func isOtherForm(_ target: Span<UInt8>, of method: Method) -> Bool {
        switch method {
        case .other("OPTIONS"): target.matches("*")
        case .other("CONNECT"): HostRules.isValid(target)
        default: false
        }
    }
}
