package import HTTP
package import Platform
package import SystemPackage
package import TLS

/// The settings of a server; the configuration creates them.
package struct ServerSettings: Sendable {
    package var listeners: [ListenerSettings]
    package var limits: Limits
    /// Number of event loops, one thread each: one for each core that serves.
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
    /// Permissions of a Unix-domain socket's file; nil leaves them to the umask.
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

/// The proxies in front of a listener, and the way they report the client's address.
package struct ProxySettings: Sendable, Equatable {
    /// The header that a trusted proxy sets.
    package enum Header: String, Sendable {
        case forwardedFor = "x-forwarded-for"
        /// RFC 7239.
        case forwarded
    }

    /// Peers whose header is believed. A Unix-domain peer is always believed if `header` is set:
    /// the socket file's permissions decide who may connect.
    package var trusted: [IPNetwork]
    package var header: Header?
    /// Whether each connection must begin with a PROXY protocol header, version 1 or 2. One without
    /// is refused, and so is a peer that is not `trusted`, unless that list is empty.
    package var usesProxyProtocol: Bool

    package init(trusted: [IPNetwork] = [], header: Header? = nil, usesProxyProtocol: Bool = false)
    {
        self.trusted = trusted
        self.header = header
        self.usesProxyProtocol = usesProxyProtocol
    }

    /// Whether `peer` may name another client: a trusted address, or a Unix-domain socket. With the
    /// PROXY protocol and an empty list of trusted proxies, any peer that reaches the listener.
    package func isProxy(_ peer: SocketAddress) -> Bool {
        guard case .ip(let address, _) = peer else { return true }
        if usesProxyProtocol, trusted.isEmpty { return true }
        return trusts(address)
    }

    /// Whether `address` is a trusted proxy.
    package func trusts(_ address: IPAddress) -> Bool {
        trusted.contains { $0.contains(address) }
    }
}
