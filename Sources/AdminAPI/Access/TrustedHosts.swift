import HTTP
import HTTPServer
import Platform

/// The host names that a request to a listener without a token may have.
///
/// The owner of any name may resolve it to 127.0.0.1 (DNS rebinding). A page from that name then
/// reads and posts to this listener, and browsers treat both as the same origin. But it cannot send
/// another `Host` than its own name. With a token there is no such attack: the page has no token.
struct TrustedHosts: Sendable {
    /// In lower case. IP addresses and `localhost` are always included: no attacker can own them.
    private let names: Set<String>

    init(_ names: [String]) { self.names = Set(names.map { $0.lowercased() }) }

    /// Whether `Host` is an IP address, `localhost` or a configured name. A request without `Host`
    /// is accepted: only HTTP/1.0 may omit it, and no browser does. So is any request on a
    /// Unix-domain socket, to which no name resolves.
    func include(_ request: Request, _ context: RequestContext) -> Bool {
        let hosts = request.values("host")
        guard context.client != nil, let host = hosts.first else { return true }
        return hosts.count == 1 && includes(String(decoding: host, as: UTF8.self))
    }

    func includes(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return false }
            return IPAddress(String(host[host.index(after: host.startIndex)..<end])) != nil
        }
        var name = host.prefix { $0 != ":" }.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return IPAddress(name) != nil || name == "localhost" || name.hasSuffix(".localhost")
            || names.contains(name)
    }
}
