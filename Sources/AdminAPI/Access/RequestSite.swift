import HTTP

/// The site of the page that a request comes from, as the browser states it. This protects a
/// listener without a token, too: any page of the web could post to a listener on loopback.
///
/// | `Sec-Fetch-Site` | `Origin` | site |
/// |---|---|---|
/// | `same-origin` | anything | own |
/// | anything else | anything | foreign |
/// | none | names the host of `Host` | own |
/// | none | anything else | foreign |
/// | none | none | unknown |
///
/// Browsers leave `Sec-Fetch-Site` out on plain HTTP to other machines (Fetch Metadata §2.1: only
/// to potentially trustworthy URLs), and always send `Origin` with a POST (Fetch §3.1). Programs
/// send neither.
package enum RequestSite: Equatable {
    /// One of the pages that this listener serves.
    case own
    /// A page of another site.
    case foreign
    /// Not a browser, or a page that a person opened directly.
    case unknown

    package init(_ request: Request) {
        let sites = request.values("sec-fetch-site")
        guard sites.isEmpty else {
            let isOwn = sites.count == 1 && sites[0].elementsEqual("same-origin".utf8)
            self = isOwn ? .own : .foreign
            return
        }
        let origins = request.values("origin").map { String(decoding: $0, as: UTF8.self) }
        guard !origins.isEmpty else {
            self = .unknown
            return
        }
        let hosts = request.values("host").map { String(decoding: $0, as: UTF8.self) }
        self = .foreign
        guard origins.count == 1, hosts.count == 1, !hosts[0].isEmpty else { return }
        let schemes = ["http://", "https://"]
        guard let scheme = schemes.first(where: { origins[0].hasPrefix($0) }) else { return }
        if origins[0].dropFirst(scheme.count).lowercased() == hosts[0].lowercased() { self = .own }
    }
}
