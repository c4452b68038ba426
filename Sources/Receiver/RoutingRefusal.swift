import HTTP

/// Why a well-formed request reaches no endpoint. No provider is known at this point, so the
/// answer is plain text: the reason code that the log has too.
package enum RoutingRefusal: String, Sendable, CaseIterable {
    case unknownPath = "unknown_path"
    case wrongMethod = "wrong_method"
    /// The endpoint's `allow` does not name the client's network.
    case foreignNetwork = "foreign_network"

    package var status: Int {
        switch self {
        case .unknownPath: 404
        case .wrongMethod: 405
        case .foreignNetwork: 403
        }
    }

    var response: Response {
        var fields = [("Content-Type", "text/plain")]
        // RFC 9110 §15.5.6: a 405 names what is allowed.
        if self == .wrongMethod { fields.append(("Allow", "POST")) }
        return Response(status: status, fields: fields, body: Array("\(rawValue)\n".utf8))
    }
}
