import Bytes
import Payments

/// One notification as it arrived, reduced to the parts that a signature can cover.
public struct SignedRequest: Sendable, Equatable {
    /// The method, usually `POST`.
    public var method: String

    /// The public path, with percent-encoding unchanged: the path that the provider has and signs.
    package var path: ArraySlice<UInt8>

    /// The target after its first `?`; nil if there is none.
    package var query: ArraySlice<UInt8>?

    /// The headers in the order of arrival, repeated names included.
    package var headers: [Header]

    /// The exact bytes of the body.
    public var body: [UInt8]

    /// Whether it came from a network that the endpoint names for messages that their provider
    /// never signs. It is no proof and may only make us more careful.
    public var isFromNamedNetwork: Bool

    /// The time of receipt. A signed time is compared with it, so that a stored notification can be
    /// verified again much later.
    public var received: Timestamp

    package init(
        method: String = "POST", path: ArraySlice<UInt8>, query: ArraySlice<UInt8>? = nil,
        headers: [Header], body: [UInt8], isFromNamedNetwork: Bool = false,
        received: Timestamp
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.isFromNamedNetwork = isFromNamedNetwork
        self.received = received
    }

    /// Creates a request from the parts that every HTTP server has.
    ///
    /// ```swift
    /// let request = SignedRequest(
    ///     method: "POST", path: "/ipn/shop?attempt=2", headers: [("Signature", "…")], body: bytes,
    ///     received: Timestamp(secondsSince1970: Date().timeIntervalSince1970))
    /// ```
    ///
    /// - Parameters:
    ///   - method: The method; `POST` for notifications.
    ///   - path: The path and query as the provider called them, percent-encoding unchanged. Behind
    ///     a proxy that rewrites paths this is not the path that arrived.
    ///   - headers: Every line, repeated names included, in any order. `Array(headers)`
    ///     of SwiftNIO's `HTTPHeaders` fits.
    ///   - body: The exact bytes. A body that was decoded and encoded again no longer verifies.
    ///   - received: The time of receipt, which a signed time is compared with. The library has no
    ///     clock.
    public init(
        method: String = "POST", path: String,
        headers: [(name: String, value: String)], body: some Sequence<UInt8>, received: Timestamp
    ) {
        let target = Array(path.utf8)
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        self.init(
            method: method, path: target[..<(mark ?? target.endIndex)],
            query: mark.map { target[($0 + 1)...] },
            headers: headers.map { line in
                // RFC 9110 §5.5: white space around a value is not part of it.
                Header(name: line.name.utf8, value: Array(line.value.utf8)[...].trimmingBlanks)
            }, body: Array(body), received: received)
    }

    /// Returns the value of the header `lowercasedName`, which must appear exactly once.
    ///
    /// A repeated header is refused: some programs read its first value and others its last, and an
    /// attacker could choose which one is checked.
    ///
    /// - Throws: `missing_header` (unauthenticated: a proof is missing) or `duplicate_header`
    ///   (malformed).
    package func single(_ lowercasedName: String) throws(Refusal) -> ArraySlice<UInt8> {
        guard let value = try optional(lowercasedName) else {
            throw .unauthenticated("missing_header", "the header \(lowercasedName) is missing")
        }
        return value
    }

    /// Returns the value of the header `lowercasedName`, or nil if it is absent.
    ///
    /// - Throws: `duplicate_header` if it appears more than once.
    package func optional(_ lowercasedName: String) throws(Refusal) -> ArraySlice<UInt8>? {
        guard let found = headers.search(lowercasedName) else { return nil }
        if found.isRepeated {
            throw .malformed("duplicate_header", "the header \(lowercasedName) appears twice")
        }
        return headers[found.index].value
    }
}
