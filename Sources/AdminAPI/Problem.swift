import HTTP
import Store

/// An error answer, as `application/problem+json` (RFC 9457). `type` is left out, which means
/// about:blank. `code` is an extension member, for programs.
package struct Problem: Error, Equatable {
    package var status: Int
    package var code: String
    /// For people: what is wrong, and the remedy.
    package var detail: String
    var allow: String?
    var retryAfterSeconds: Int?
    /// The order whose alias the name is.
    var aliasOf: String?

    init(_ status: Int, _ code: String, _ detail: String, aliasOf: String?) {
        self.init(status, code, detail)
        self.aliasOf = aliasOf
    }

    package init(_ status: Int, _ code: String, _ detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    static let unknownPath = Problem(404, "unknown_path", "no such path")
    static let tokenRequired = Problem(
        401, "token_required", "send the admin token as `Authorization: Bearer TOKEN`")
    /// More wrong tokens than a person mistypes.
    static func tooManyTokens(_ seconds: Int) -> Problem {
        var problem = Problem(
            429, "too_many_tokens", "too many wrong tokens; the right one is accepted at any time")
        problem.retryAfterSeconds = seconds
        return problem
    }

    static let tooManyWaiting = Problem.unavailable(
        "too_many_waiting", "too many streams and long polls of this role or address are open")

    static let roleInsufficient = Problem(
        403, "role_insufficient", "a viewer only reads; send the token of an operator or an admin")
    static let auditForAdmins = Problem(
        403, "role_insufficient", "only admins read the audit trail")
    static let erasureForAdmins = Problem(403, "role_insufficient", "only admins erase")
    /// Personal data is not shown when the look at it cannot be recorded.
    static let auditUnavailable = Problem.unavailable(
        "audit_unavailable", "the audit trail cannot be written; the log says why")

    static let crossSite = Problem(
        403, "cross_site", "a browser sent this for a page of another origin")
    /// RFC 9110 §15.5.20.
    static let hostUnknown = Problem(
        421, "host_unknown",
        "without a token, only `localhost`, IP addresses and names in `admin.hosts` are answered")

    /// A request that the HTTP server refused.
    init(_ error: HTTPError, path: ArraySlice<UInt8>?) {
        guard error.status == 405 else {
            self.init(error.status, error.reason, "the request breaks a rule or limit of HTTP")
            return
        }
        let route = path.flatMap { try? Route($0) }
        self = .methodNotAllowed(route?.methods ?? Route.reading)
    }

    static func methodNotAllowed(_ methods: [Method]) -> Problem {
        let allow = methods.map(\.name).joined(separator: ", ")
        var problem = Problem(405, "method_not_allowed", "this path takes \(allow)")
        problem.allow = allow
        return problem
    }

    private static let retrySeconds = 5

    static func unavailable(_ code: String, _ detail: String) -> Problem {
        var problem = Problem(503, code, detail)
        problem.retryAfterSeconds = retrySeconds
        return problem
    }

    /// Records that cannot be read.
    init(_ failure: ReadFailure) {
        self.init(failure.isTemporary ? 503 : 500, failure.reason, failure.detail)
        if failure.isTemporary { retryAfterSeconds = Self.retrySeconds }
    }

    var response: Response {
        var fields = [("Content-Type", "application/problem+json")]
        if let allow { fields.append(("Allow", allow)) }
        if status == 401 { fields.append(("WWW-Authenticate", "Bearer")) }
        if let retryAfterSeconds { fields.append(("Retry-After", "\(retryAfterSeconds)")) }
        return Response(status: status, fields: fields, body: ProblemAnswer(self).json())
    }
}

extension Response {
    static func plain(_ status: Int, _ text: String) -> Response {
        Response(status: status, fields: [("Content-Type", "text/plain")], body: Array(text.utf8))
    }

    static func json(_ status: Int, _ body: [UInt8]) -> Response {
        // Orders change at any moment and are confidential.
        Response(
            status: status,
            fields: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: body)
    }
}
