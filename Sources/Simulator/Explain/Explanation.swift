import JSON
import Providers

/// What was found out about a request that did not verify.
package struct Explanation: Sendable {
    /// A hypothesis that verifies.
    package struct Finding: Sendable, Equatable {
        package let code: String
        package let sentence: String
        package let remedy: String
        /// What exactly was changed.
        package let detail: String
    }

    /// Set where the request arrives nowhere, whatever else is found.
    package let unknownPath: UnknownPath?
    /// Why the request as captured does not verify now; nil where it does. Where it arrives
    /// nowhere: at the endpoint that it was probably meant for.
    package let refusal: Refusal?
    /// Set where it came with another method than POST: the server answers 405, whatever its
    /// signature is.
    package let wrongMethod: String?
    /// In the order of the table; empty where nothing verifies.
    package let findings: [Finding]
    /// What can be seen without verifying anything.
    package let notes: [String]
    package let hypothesesTried: Int
    package let variationsTried: Int

    /// Whether a cause was found.
    package var isExplained: Bool { refusal == nil || !findings.isEmpty }

    /// What to think of a request that nothing makes verify.
    ///
    /// - Parameter keyHint: How another key can be tried.
    package func verdictWithoutCause(keyHint: String = "") -> String {
        let tried =
            "None of \(hypothesesTried) hypotheses (\(variationsTried) variations) makes it verify."
        guard let refusal else { return tried }
        let rest =
            if Self.proofIsMissing.contains(refusal.reason) {
                "Without it nothing can be verified: something on the way removed it, or the "
                    + "request is not from the provider."
            } else if refusal.kind == .malformed {
                "It cannot be read, whatever the key is: it was changed on the way, or it is not "
                    + "from the provider."
            } else {
                "Either it is not from the provider, or its key is not here\(keyHint), or more "
                    + "than one thing was changed."
            }
        return "\(tried) \(rest)"
    }

    /// The reasons that say so.
    private static let proofIsMissing: Set = [
        "missing_header", "signature_missing", "sign_missing",
    ]

    /// One JSON object, without a newline.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.beginObject()
        if let unknownPath {
            json.key("unknownPath")
            unknownPath.write(to: &json)
        }
        json.member("verifies", refusal == nil)
        if let wrongMethod { json.member("wrongMethod", wrongMethod) }
        if let refusal {
            json.member("reason", refusal.reason)
            json.member("detail", refusal.detail)
        }
        json.key("findings")
        json.beginArray()
        for finding in findings {
            json.beginObject()
            json.member("hypothesis", finding.code)
            json.member("sentence", finding.sentence)
            json.member("changed", finding.detail)
            json.member("remedy", finding.remedy)
            json.endObject()
        }
        json.endArray()
        json.key("notes")
        json.beginArray()
        for note in notes { json.string(note) }
        json.endArray()
        json.member("hypothesesTried", hypothesesTried)
        json.member("variationsTried", variationsTried)
        json.endObject()
        return json.bytes
    }
}

/// That no endpoint has a request's path: the server answers 404 to it, whatever its signature is.
package struct UnknownPath: Sendable, Equatable {
    /// As it came in.
    package let path: String
    /// The endpoint that it was probably meant for.
    package let nearest: String
    package let nearestPath: String

    package init(path: String, nearest: String, nearestPath: String) {
        self.path = path
        self.nearest = nearest
        self.nearestPath = nearestPath
    }

    package var sentence: String {
        "no endpoint has the path \(TextTable.printable(path)): the server answers 404. "
            + "The nearest is \(nearest), \(nearestPath)"
    }

    package var remedy: String {
        "Correct the URL that the provider was given, or the proxy's rule, so that it arrives at "
            + "\(nearestPath); or set the endpoint's `path` to the one that came in."
    }

    /// What to do where the provider signed the path that came in.
    var remedyWhereSigned: String {
        "The provider was given this path. Set the endpoint's `path` to it; or let the proxy pass "
            + "it on as \(nearestPath) and set `publicPath` to it."
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("path", path)
        json.member("nearest", nearest)
        json.member("nearestPath", nearestPath)
        json.member("remedy", remedy)
        json.endObject()
    }
}
