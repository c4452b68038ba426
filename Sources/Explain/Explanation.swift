import Bytes
import JSON
import Providers

/// The causes found for a request that did not verify.
public struct Explanation: Sendable {
    /// A hypothesis that verifies.
    public struct Finding: Sendable, Equatable {
        /// The cause's code, in snake_case: the same in every version.
        public let code: String
        /// The cause, as a clause.
        public let sentence: String
        /// The remedy, in sentences.
        public let remedy: String
        /// The exact change.
        public let detail: String
    }

    /// Set if no endpoint has the request's path.
    package let unknownPath: UnknownPath?
    /// Why the captured request does not verify now; nil if it does. For an unknown path, at its
    /// probable endpoint.
    public let refusal: Refusal?
    /// The method, if it is not POST: the server answers 405, whatever the signature.
    public let wrongMethod: String?
    /// In the order of the table; empty if nothing verifies.
    public let findings: [Finding]
    /// Observations that need no verification.
    public let notes: [String]
    /// Where nothing verifies: the likeliest causes in order, each with the next step.
    public let likely: [String]
    package let hypothesesTried: Int
    package let variationsTried: Int

    /// Whether a cause was found.
    public var isExplained: Bool { refusal == nil || !findings.isEmpty }

    /// The sentence before ``likely``.
    package static let likelyTitle = "No single change makes it verify. Likeliest causes first:"

    /// One JSON object, without a newline.
    package var json: [UInt8] {
        JSONWriter.object(reserving: 512) { json in
            json.member("unknownPath", ifPresent: unknownPath)
            json.member("verifies", refusal == nil)
            json.member("wrongMethod", ifPresent: wrongMethod)
            json.member("reason", ifPresent: refusal?.reason)
            json.member("detail", ifPresent: refusal?.detail)
            json.array("findings", findings) { json, finding in
                json.member("hypothesis", finding.code)
                json.member("sentence", finding.sentence)
                json.member("changed", finding.detail)
                json.member("remedy", finding.remedy)
            }
            json.member("likely", likely)
            json.member("notes", notes)
            json.member("hypothesesTried", hypothesesTried)
            json.member("variationsTried", variationsTried)
        }
    }
}

/// An unknown path of a request: the server answers 404, whatever the signature.
package struct UnknownPath: Sendable, Equatable, JSONWritable {
    /// The path as received.
    package let path: String
    /// The probable endpoint.
    package let nearest: String
    package let nearestPath: String

    package init(path: String, nearest: String, nearestPath: String) {
        self.path = path
        self.nearest = nearest
        self.nearestPath = nearestPath
    }

    package var sentence: String {
        "no endpoint has the path \(path.withoutSteering): the server answers 404. "
            + "The nearest is \(nearest), \(nearestPath)"
    }

    package var remedy: String {
        "Correct the URL that the provider was given, or the proxy's rule, so that it arrives at "
            + "\(nearestPath); or set the endpoint's `path` to the one that came in."
    }

    /// The remedy if the provider signed the path as received.
    var remedyWhereSigned: String {
        "The provider was given this path. Set the endpoint's `path` to it; or let the proxy pass "
            + "it on as \(nearestPath) and set `publicPath` to it."
    }

    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("path", path)
            json.member("nearest", nearest)
            json.member("nearestPath", nearestPath)
            json.member("remedy", remedy)
        }
    }
}
