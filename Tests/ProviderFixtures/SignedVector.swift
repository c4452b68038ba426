import Bytes
import JSON
import Payments
import Providers

/// A request with a signature that was made without ipnd, or such a request after a change.
package struct SignedVector: Sendable {
    package let name: String
    package let settings: EndpointSettings
    package let delivery: SignedRequest

    /// Whether the signature holds.
    package let isGenuine: Bool

    package init(
        name: String, settings: EndpointSettings, delivery: SignedRequest, isGenuine: Bool
    ) {
        self.name = name
        self.settings = settings
        self.delivery = delivery
        self.isGenuine = isGenuine
    }
}

/// A provider's vectors: a file of `Tests/ProvidersTests/Vectors`, or values in Swift.
package enum VectorList: Sendable {
    case file(String, read: @Sendable (JSONValue) throws -> [SignedVector])
    case values([SignedVector])
}

/// A vector that lacks a member.
package struct VectorError: Error {
    package let missing: String
}

extension SignedRequest {
    /// A request to `/ipn` with this body.
    init(vector body: [UInt8], headers: [Header] = []) {
        self.init(
            path: Array("/ipn".utf8)[...], headers: headers, body: body,
            received: Timestamp(microseconds: 0))
    }
}

extension ProviderFixture {
    /// Verdict on a body with a valid signature, and on the same body after a change.
    static func vectors(
        _ name: String, _ settings: EndpointSettings, _ body: String, changing old: String,
        to new: String
    ) -> [SignedVector] {
        [body, body.replacing(old, with: new)].enumerated().map { place, body in
            SignedVector(
                name: name, settings: settings, delivery: SignedRequest(vector: Array(body.utf8)),
                isGenuine: place == 0)
        }
    }
}

extension JSONValue {
    func required(_ name: String) throws -> JSONValue {
        guard let value = self[name] else { throw VectorError(missing: name) }
        return value
    }

    /// The vectors of two lists, genuine and changed ones, that an endpoint with settings receives.
    func signedVectors(
        _ settings: (JSONValue) throws -> EndpointSettings,
        _ delivery: (JSONValue) throws -> SignedRequest
    ) throws -> [SignedVector] {
        try ["vectors", "negative"].flatMap { list in
            try required(list).elements.map { vector in
                SignedVector(
                    name: vector["id"]?.string ?? "", settings: try settings(vector),
                    delivery: try delivery(vector), isGenuine: list == "vectors")
            }
        }
    }

    /// The request of a vector with `headers` and `body`, received at `now`.
    func delivery() throws -> SignedRequest {
        guard let now = self["now"]?.int64 else { throw VectorError(missing: "now") }
        return SignedRequest(
            path: Array((self["path"]?.string ?? "/ipn").utf8)[...],
            headers: try required("headers").members.map { Header($0.key, $0.value.string ?? "") },
            body: Array(try text("body").utf8),
            received: Timestamp(microseconds: now * 1_000_000))
    }

    func text(_ name: String) throws -> String {
        guard let text = self[name]?.string else { throw VectorError(missing: name) }
        return text
    }
}
