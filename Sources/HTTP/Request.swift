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
