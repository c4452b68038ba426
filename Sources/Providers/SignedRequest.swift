import Bytes
import Payments

/// One notification as it arrived, reduced to the parts that a signature can cover.
package struct SignedRequest: Sendable, Equatable {
    package var method: String

    /// The public path, with percent-encoding unchanged: the path that the provider has and signs.
    package var path: ArraySlice<UInt8>

    /// The target after its first `?`; nil if there is none.
    package var query: ArraySlice<UInt8>?

    /// The headers in the order of arrival, repeated names included.
    package var headers: [Header]

    package var body: [UInt8]

    /// Whether it came from a network that the endpoint names for messages that their provider
    /// never signs. It is no proof and may only make us more careful.
    package var isFromNamedNetwork: Bool

    /// The time of receipt. A signed time is compared with it, so that a stored notification can be
    /// verified again much later.
    package var received: Timestamp

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
