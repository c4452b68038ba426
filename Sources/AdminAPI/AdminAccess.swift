import Cryptography
import HTTP
import HTTPServer

/// The rights of a caller of the admin listener.
package enum AdminRole: String, Sendable {
    /// Sees everything and acts.
    case admin
    /// Sees everything except personal data, and does not act.
    case viewer
}

/// The caller of a request, as the record of an act names it.
package struct AdminCaller: Sendable, Equatable {
    package let role: AdminRole
    /// `admin` or `viewer`, by the token; `local` where the configuration requires none.
    package let name: String
    /// The client's address, or `unix`.
    package let remote: String

    package init(role: AdminRole, name: String, remote: String) {
        self.role = role
        self.name = name
        self.remote = remote
    }

    /// Whether personal data is shown: requests as they were received, addresses of clients, and
    /// the metadata of an expectation.
    var seesPersonalData: Bool { role == .admin }

    /// Throws `role_insufficient` unless the caller may act.
    func checkMayAct() throws(Problem) {
        guard role == .admin else { throw .roleInsufficient }
    }
}

/// The tokens of the admin listener, and the role that each gives.
package struct AdminAccess: Sendable {
    /// Nil where none is required, which the configuration allows on loopback only.
    private let token: [UInt8]?
    /// The token of viewers; nil where there is none.
    private let viewerToken: [UInt8]?
    private let hosts: TrustedHosts

    /// - Parameter hosts: Further host names that a request may name where no token is required.
    package init(token: [UInt8]?, viewerToken: [UInt8]? = nil, hosts: [String] = []) {
        self.token = token
        self.viewerToken = viewerToken
        self.hosts = TrustedHosts(hosts)
    }

    /// Whether a request names one of the listener's hosts. With a token, any host is accepted.
    package func trustsHost(of request: Request, _ context: RequestContext) -> Bool {
        token != nil || hosts.include(request, context)
    }

    /// The caller of a request; nil where a token is required and the request has no valid one.
    package func caller(of request: Request, _ context: RequestContext) -> AdminCaller? {
        guard token != nil else {
            return AdminCaller(role: .admin, name: "local", remote: context.clientText)
        }
        guard let given = Self.bearer(request) else { return nil }
        return caller(with: given, remote: context.clientText)
    }

    /// The caller who has this token; nil where it is not valid. Without configured tokens, no
    /// token is valid.
    package func caller(with given: [UInt8], remote: String) -> AdminCaller? {
        // Both comparisons always run, so that the time reveals nothing.
        let isAdmin = token.map { constantTimeEqual(given, $0) } ?? false
        let isViewer = viewerToken.map { constantTimeEqual(given, $0) } ?? false
        guard isAdmin || isViewer else { return nil }
        let role: AdminRole = isAdmin ? .admin : .viewer
        return AdminCaller(role: role, name: role.rawValue, remote: remote)
    }

    /// Whether a request has a token, valid or not.
    package func showsToken(_ request: Request) -> Bool {
        token != nil && !request.values("authorization").isEmpty
    }

    /// Whether a token is required.
    package var requiresToken: Bool { token != nil }

    /// The hash of a role's token. A session keeps it, so that a changed token ends the session.
    /// Nil for a role that has no token.
    package func mark(of role: AdminRole) -> [UInt8]? {
        (role == .admin ? token : viewerToken).map { SHA256.hash($0) }
    }

    /// The token of the field `Authorization`, which must appear once.
    private static func bearer(_ request: Request) -> [UInt8]? {
        let given = request.values("authorization")
        guard given.count == 1, let value = given.first else { return nil }
        // The scheme is case-insensitive (RFC 9110 §11.1).
        let scheme = "bearer "
        let start = value.prefix(scheme.utf8.count)
        guard start.elementsEqual(scheme.utf8, by: { $0 | 0x20 == $1 }) else { return nil }
        return Array(value.dropFirst(scheme.utf8.count))
    }
}
