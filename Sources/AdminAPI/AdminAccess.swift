import Cryptography
import HTTP
import HTTPServer

/// What a caller of the admin listener may do.
package enum AdminRole: String, Sendable {
    /// Sees everything and acts.
    case admin
    /// Sees everything but the requests as they were received, and acts on nothing.
    case viewer
}

/// Who asks: what a record of an act says of it.
package struct AdminCaller: Sendable, Equatable {
    package let role: AdminRole
    /// `admin` or `viewer`, by the token; `local` where the configuration asks for none.
    package let name: String
    /// The client's address, or `unix`.
    package let remote: String

    package init(role: AdminRole, name: String, remote: String) {
        self.role = role
        self.name = name
        self.remote = remote
    }

    /// Whether personal data is shown: requests as they were received, addresses of clients, and
    /// what the merchant noted beside an expectation.
    var seesPersonalData: Bool { role == .admin }
}

/// The tokens of the admin listener, and what each of them allows.
package struct AdminAccess: Sendable {
    /// Nil where none is asked for (loopback only: Configuration sees to it).
    private let token: [UInt8]?
    /// Of those who only look; nil where there is none.
    private let viewerToken: [UInt8]?
    private let hosts: TrustedHosts

    /// - Parameter hosts: Names by which the listener may be asked for where it has no token.
    package init(token: [UInt8]?, viewerToken: [UInt8]? = nil, hosts: [String] = []) {
        self.token = token
        self.viewerToken = viewerToken
        self.hosts = TrustedHosts(hosts)
    }

    /// Whether a request asks for this listener by a name of its own. Where a token is asked for,
    /// the name does not matter.
    package func trustsHost(of request: Request, _ context: RequestContext) -> Bool {
        token != nil || hosts.include(request, context)
    }

    /// What the caller of a request may do; nil when it has to send a token and this is none.
    package func caller(of request: Request, _ context: RequestContext) -> AdminCaller? {
        guard token != nil else {
            return AdminCaller(role: .admin, name: "local", remote: context.clientText)
        }
        guard let given = Self.bearer(request) else { return nil }
        return caller(with: given, remote: context.clientText)
    }

    /// What somebody may do who shows this token; nil when it is none of ours. Where the
    /// configuration has no token, none is.
    package func caller(with given: [UInt8], remote: String) -> AdminCaller? {
        // Both are compared whatever the first comparison says, so that time tells nothing.
        let isAdmin = token.map { constantTimeEqual(given, $0) } ?? false
        let isViewer = viewerToken.map { constantTimeEqual(given, $0) } ?? false
        guard isAdmin || isViewer else { return nil }
        let role: AdminRole = isAdmin ? .admin : .viewer
        return AdminCaller(role: role, name: role.rawValue, remote: remote)
    }

    /// Whether a request shows a token, right or wrong.
    package func showsToken(_ request: Request) -> Bool {
        token != nil && !request.values("authorization").isEmpty
    }

    /// Whether somebody has to show a token.
    package var asksForToken: Bool { token != nil }

    /// What a session remembers of the token that it was opened with, so that another token ends
    /// it. Nil of a role that has no token.
    package func mark(of role: AdminRole) -> [UInt8]? {
        (role == .admin ? token : viewerToken).map { SHA256.hash($0) }
    }

    /// The token of the field `Authorization`, which must be there once.
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

extension AdminCaller {
    /// Throws `role_insufficient` unless the caller may act.
    func checkMayAct() throws(Problem) {
        guard role == .admin else { throw .roleInsufficient }
    }
}
