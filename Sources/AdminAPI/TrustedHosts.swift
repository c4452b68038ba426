import HTTP
import HTTPServer
import Platform

/// By which names a listener without a token may be asked for.
///
/// Whoever owns a name may lead it to 127.0.0.1 (DNS rebinding): a page from that name then reads
/// and posts as if it were ours, and every browser calls that the same origin. What it cannot do is
/// to send another `Host` than its own name. With a token this is no way in: the page has none.
struct TrustedHosts: Sendable {
    /// In lower case, beside addresses and `localhost`, which nobody can own.
    private let names: Set<String>

    init(_ names: [String]) { self.names = Set(names.map { $0.lowercased() }) }

    /// Whether `Host` is an IP address, `localhost` or a configured name. HTTP/1.0 may leave it
    /// out, which no browser does; and no name leads to a Unix-domain socket.
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
