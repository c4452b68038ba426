import Bytes
import Payments

/// One notification as it arrived, reduced to what a signature can cover.
package struct SignedRequest: Sendable, Equatable {
    package var method: String

    /// The public path, percent-encoding untouched: the one that the provider was given and signs.
    package var path: ArraySlice<UInt8>

    /// What followed the first `?` of the target, without it; nil where there was none.
    package var query: ArraySlice<UInt8>?

    /// In the order of arrival, repeated names included.
    package var headers: [Header]

    package var body: [UInt8]

    /// Whether it came from a network that the endpoint names for messages that their provider
    /// never signs. Never a proof: it may only make us more careful.
    package var isFromNamedNetwork: Bool

    /// When it came in. A signed time is judged by it, so that what was stored long ago can be
    /// verified once more.
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

    /// The value of the header `lowercasedName`, which must be there exactly once.
    ///
    /// A repeated header is refused and not resolved: the first and the last one are read by
    /// different programs, and an attacker could choose which one is checked.
    ///
    /// - Throws: `missing_header` (unauthenticated: a proof is lacking) or `duplicate_header`
    ///   (malformed).
    package func single(_ lowercasedName: String) throws(Refusal) -> ArraySlice<UInt8> {
        guard let value = try optional(lowercasedName) else {
            throw .unauthenticated("missing_header", "the header \(lowercasedName) is missing")
        }
        return value
    }

    /// The value of the header `lowercasedName`, or nil where it is absent.
    ///
    /// - Throws: `duplicate_header` where it is there more than once.
    package func optional(_ lowercasedName: String) throws(Refusal) -> ArraySlice<UInt8>? {
        guard let found = headers.search(lowercasedName) else { return nil }
        if found.isRepeated {
            throw .malformed("duplicate_header", "the header \(lowercasedName) appears twice")
        }
        return headers[found.index].value
    }
}
