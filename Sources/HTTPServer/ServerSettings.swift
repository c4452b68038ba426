import HTTP
import Platform
import SystemPackage
import TLS

/// What a server needs to know; the configuration builds it.
package struct ServerSettings: Sendable {
    package var listeners: [ListenerSettings]
    package var limits: Limits
    /// Event loops, each a thread: one for each core that shall serve.
    package var loops: Int

    package init(listeners: [ListenerSettings], limits: Limits, loops: Int = 1) {
        self.listeners = listeners
        self.limits = limits
        self.loops = max(1, loops)
    }
}

/// One address that the server listens on.
package struct ListenerSettings: Sendable {
    package var address: SocketAddress
    package var tls: TLSContext?
    package var proxy: ProxySettings
    /// Of a Unix-domain socket's file; nil leaves it to the umask.
    package var permissions: FilePermissions?

    package init(
        address: SocketAddress, tls: TLSContext? = nil, proxy: ProxySettings = .init(),
        permissions: FilePermissions? = nil
    ) {
        self.address = address
        self.tls = tls
        self.proxy = proxy
        self.permissions = permissions
    }
}

/// How a listener learns the client's address when a proxy stands before it.
package struct ProxySettings: Sendable, Equatable {
    /// The header that a trusted proxy sets.
    package enum Header: String, Sendable {
        case forwardedFor = "x-forwarded-for"
        /// RFC 7239.
        case forwarded
    }

    /// The peers whose word counts. A Unix-domain peer counts wherever `header` is set: the
    /// socket file's permissions say who may connect.
    package var trusted: [IPNetwork]
    package var header: Header?
    /// Each connection opens with a PROXY protocol header, version 1 or 2; one without is refused,
    /// and so is a peer that is not `trusted`, where that names anybody.
    package var usesProxyProtocol: Bool

    package init(trusted: [IPNetwork] = [], header: Header? = nil, usesProxyProtocol: Bool = false)
    {
        self.trusted = trusted
        self.header = header
        self.usesProxyProtocol = usesProxyProtocol
    }

    /// Whether `peer` may speak for others: a trusted address, or a Unix-domain socket. With the
    /// PROXY protocol and no list of trusted proxies, whoever can reach the listener.
    package func isProxy(_ peer: SocketAddress) -> Bool {
        guard case .ip(let address, _) = peer else { return true }
        if usesProxyProtocol, trusted.isEmpty { return true }
        return trusts(address)
    }

    /// Whether `address` is a proxy of ours.
    package func trusts(_ address: IPAddress) -> Bool {
        trusted.contains { $0.contains(address) }
    }
}
