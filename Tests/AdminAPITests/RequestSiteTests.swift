import Bytes
import HTTP
import Testing

@testable import AdminAPI

/// The site of a request's page, and the host names that it may have.
@Suite struct RequestSiteTests {
    static let requests: [([(String, String)], RequestSite)] = [
        ([("Sec-Fetch-Site", "same-origin")], .own),
        ([("Sec-Fetch-Site", "same-origin"), ("Origin", "https://elsewhere.example")], .own),
        ([("Sec-Fetch-Site", "cross-site"), ("Origin", "http://ipnd.example")], .foreign),
        ([("Sec-Fetch-Site", "same-site")], .foreign), ([("Sec-Fetch-Site", "none")], .foreign),
        ([("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")], .foreign),
        ([("Origin", "http://ipnd.example")], .own),
        ([("Origin", "https://IPND.example")], .own),
        ([("Origin", "http://ipnd.example:81")], .foreign),
        ([("Origin", "http://ipnd.example.evil")], .foreign), ([("Origin", "null")], .foreign),
        ([("Origin", "ftp://ipnd.example")], .foreign), ([("Origin", "")], .foreign),
        ([], .unknown),
        ([("Origin", "http://ipnd.example"), ("Origin", "http://ipnd.example")], .foreign),
    ]

    @Test(arguments: requests)
    func `the site follows from the headers of the browser`(
        _ fields: [(String, String)], _ site: RequestSite
    ) {
        let request = Request(
            method: .post, target: [], path: [], query: nil, version: .http11,
            fields: ([("Host", "ipnd.example")] + fields).map { Header($0.0, $0.1) }, body: [],
            keepAlive: true)
        #expect(RequestSite(request) == site)
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:9090", "[::1]", "[::1]:9090", "localhost", "LocalHost:9090",
        "localhost.", "a.localhost", "tools.example", "Tools.Example:443", "192.0.2.7:80",
    ])
    func `addresses and own names are trusted`(_ host: String) {
        #expect(TrustedHosts(["tools.Example"]).includes(host))
    }

    @Test(arguments: [
        "", "evil.example", "evil.example:9090", "127.0.0.1.evil.example", "localhost.evil.example",
        "notlocalhost", "x.tools.example", "tools.example.evil", "[::1", "[evil.example]:80",
        "evil.example.", "2130706433", "127.1",
    ])
    func `names that an attacker may own are not trusted`(_ host: String) {
        #expect(!TrustedHosts(["tools.example"]).includes(host))
    }
}
