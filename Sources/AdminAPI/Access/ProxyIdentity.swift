import HTTP
import HTTPServer
import Platform

/// The header in which an authenticating proxy names the person, such as the `X-Forwarded-User` of
/// oauth2-proxy, and the proxies whose header is believed.
package struct ProxyIdentity: Sendable {
    /// In lower case.
    private let header: String
    private let trusted: [IPNetwork]
    /// The role of names that `admin.people` does not list; nil refuses them.
    package let roleOfOthers: AdminRole?

    package init(header: String, trusted: [IPNetwork], roleOfOthers: AdminRole?) {
        self.header = header.lowercased()
        self.trusted = trusted
        self.roleOfOthers = roleOfOthers
    }

    /// The name that a trusted proxy states; nil without the header or from another peer.
    ///
    /// The peer counts, not the client that `admin.proxy` finds behind it: any other client could
    /// state any name. A peer on a Unix-domain socket is trusted, because the mode of the
    /// socket's file decides who may connect.
    ///
    /// Throws `identity_invalid` for several headers and for text that is not a name. A proxy that
    /// passes on the client's own header beside its own sends two.
    func name(in request: Request, _ context: RequestContext) throws(Problem) -> String? {
        let given = request.values(header)
        guard !given.isEmpty, isTrusted(context.peer) else { return nil }
        guard given.count == 1, PersonName.isValid(given[0]) else { throw .identityInvalid }
        return String(decoding: given[0], as: UTF8.self)
    }

    private func isTrusted(_ peer: SocketAddress) -> Bool {
        guard case .ip(let address, _) = peer else { return true }
        return trusted.contains { $0.contains(address) }
    }
}
