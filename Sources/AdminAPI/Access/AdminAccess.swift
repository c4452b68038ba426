import Cryptography
import HTTP
import HTTPServer

/// Who may use the admin listener, and with which role: tokens, people, and the identity that an
/// authenticating proxy states.
package struct AdminAccess: Sendable {
    /// Those who have a token: `admin` and `viewer`, and the people. Empty where none is required,
    /// which the configuration allows on loopback only.
    private let holders: [AdminPerson]
    private let people: [AdminPerson]
    private let identity: ProxyIdentity?
    private let hosts: TrustedHosts

    /// - Parameters:
    ///   - token: Gives all rights. Without it, every client has them.
    ///   - viewerToken: Gives the role `viewer`.
    ///   - hosts: Further host names that a request may name where no token is required.
    package init(
        token: [UInt8]?, viewerToken: [UInt8]? = nil, people: [AdminPerson] = [],
        identity: ProxyIdentity? = nil, hosts: [String] = []
    ) {
        let roles: [(AdminRole, [UInt8]?)] = [(.admin, token), (.viewer, viewerToken)]
        let shared = roles.compactMap { role, token in
            token.map { AdminPerson(name: role.rawValue, role: role, token: $0) }
        }
        requiresToken = token != nil
        holders = requiresToken ? shared + people.filter { $0.token != nil } : []
        self.people = people
        self.identity = identity
        self.hosts = TrustedHosts(hosts)
    }

    /// Whether a token is required.
    package let requiresToken: Bool

    /// Whether a request names one of the listener's hosts. Where the client must send a token, any
    /// host is accepted. A header of a proxy is no such secret: a page that had its own name
    /// resolved to this machine could send it.
    package func trustsHost(of request: Request, _ context: RequestContext) -> Bool {
        let isByProxy = identity.map { (try? $0.name(in: request, context)) != nil } ?? false
        return requiresToken && !isByProxy || hosts.include(request, context)
    }

    /// The caller of a request; nil where a token is required and the request has no valid one.
    ///
    /// Throws `identity_unknown` and `identity_invalid`, of a person whom the proxy names.
    package func caller(
        of request: Request, _ context: RequestContext
    ) throws(Problem) -> AdminCaller? {
        guard requiresToken else {
            return AdminCaller(role: .admin, name: "local", remote: context.clientText)
        }
        if let caller = try callerByProxy(of: request, context) { return caller }
        guard let given = Self.bearer(request) else { return nil }
        return caller(with: given, remote: context.clientText)
    }

    /// The caller whom a trusted proxy names; nil where none does.
    package func callerByProxy(
        of request: Request, _ context: RequestContext
    ) throws(Problem) -> AdminCaller? {
        guard requiresToken, let identity, let name = try identity.name(in: request, context)
        else { return nil }
        let person = people.first { $0.name.utf8.elementsEqual(name.utf8) }
        guard let role = person?.role ?? identity.roleOfOthers,
            !PersonName.reserved.contains(name)
        else { throw .identityUnknown(name) }
        return AdminCaller(role: role, name: name, remote: context.clientText)
    }

    /// The caller who has this token; nil where it is not valid. Without configured tokens, no
    /// token is valid.
    package func caller(with given: [UInt8], remote: String) -> AdminCaller? {
        // All comparisons always run, so that the time reveals nothing.
        var found: AdminPerson?
        for holder in holders {
            if let token = holder.token, constantTimeEqual(given, token), found == nil {
                found = holder
            }
        }
        return found.map { AdminCaller(role: $0.role, name: $0.name, remote: remote) }
    }

    /// Whether a request has a token, valid or not.
    package func showsToken(_ request: Request) -> Bool {
        requiresToken && !request.values("authorization").isEmpty
    }

    /// The hash of a person's token. A session keeps it, so that a changed token or role ends the
    /// session. Nil for a name that has no token, and for another role than the person's.
    package func mark(of name: String, _ role: AdminRole) -> [UInt8]? {
        holders.first { $0.name == name && $0.role == role }?.token.map { SHA256.hash($0) }
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

extension Problem {
    static func identityUnknown(_ name: String) -> Problem {
        Problem(
            403, "identity_unknown",
            "the proxy names `\(name)`, who is not in `admin.people`, and `admin.identity` gives "
                + "others no `role`")
    }

    static let identityInvalid = Problem(
        403, "identity_invalid",
        "the proxy's header must name one person; let the proxy replace the client's own header")
}
