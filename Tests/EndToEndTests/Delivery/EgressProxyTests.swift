import Foundation
import TestSupport
import Testing

/// The route to a destination through an egress proxy, set by the environment or the configuration.
/// The proxy connects every CONNECT request to one server on loopback, whatever the name.
@Suite(.ownThreads) struct EgressProxyTests {
    private let folder = TemporaryFolder()
    private let certificate: TestCertificate
    private let shop: EchoTarget
    private let proxy: LocalServer

    init() throws {
        certificate = try TestCertificate(name: "shop.invalid")
        shop = try EchoTarget(["--certificate", certificate.certificate, "--key", certificate.key])
        let port = shop.port
        proxy = try LocalServer { peer in
            guard peer.readRequest() != nil else { return }
            peer.write("HTTP/1.1 200 Connected\r\n\r\n")
            peer.splice(to: port)
        }
    }

    /// Four routes to the same server: by a name that only the proxy resolves, by its address, by
    /// its address with `proxy: direct`, and with the proxy in the configuration.
    private func start(noProxy: String) throws -> Instance {
        let secret = try folder.write("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
        let ways = [
            ("named", "https://shop.invalid/", ""),
            ("addressed", "https://127.0.0.1:\(shop.port)/", ""),
            ("direct", "https://127.0.0.1:\(shop.port)/", ", proxy: direct"),
            ("configured", "https://shop.invalid/", ", proxy: \"http://127.0.0.1:\(proxy.port)\""),
        ]
        let instance = try Instance(
            edit: { text in
                // Long enough for any machine: what is tested is the way.
                text + "\ndelivery: {connectSecondsMax: 600}\ndestinations:\n"
                    + ways.map { name, url, settings in
                        "  - {name: \(name), url: \"\(url)\", secrets: [{file: \(secret)}], "
                            + "caFile: \(certificate.certificate), timeoutSeconds: 600"
                            + "\(settings)}\n"
                    }.joined()
            }, starts: false)
        instance.environment = [
            "HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)", "NO_PROXY": noProxy,
            // Lower-case variables take precedence if they are not empty (curl(1), "ENVIRONMENT").
            "https_proxy": "", "no_proxy": "", "all_proxy": "", "ALL_PROXY": "",
        ]
        try instance.start()
        return instance
    }

    /// Returns the result of testing the destination, and the targets requested from the proxy.
    private func test(_ name: String, of instance: Instance) throws -> (Finished, asked: [String]) {
        let before = proxy.requests.count
        let tested = try run(
            Binary.ipnd,
            [
                "deliveries", "test", name, "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)",
            ])
        let heads = proxy.requests.dropFirst(before).compactMap {
            $0.split(separator: " ").dropFirst().first
        }
        return (tested, heads.map(String.init))
    }

    @Test func `the environment's proxy is asked and its exceptions are not`() throws {
        let instance = try start(noProxy: "example.com,127.0.0.1")
        let (named, byName) = try test("named", of: instance)
        #expect(named.status == 0 && byName == ["shop.invalid:443"], "\(named) \(byName)")
        #expect(proxy.requests.allSatisfy { $0.hasPrefix("CONNECT ") })
        let (addressed, byAddress) = try test("addressed", of: instance)
        #expect(addressed.status == 0 && byAddress.isEmpty, "\(addressed) \(byAddress)")
    }

    @Test func `without exceptions the proxy is asked unless the destination says direct`() throws {
        let instance = try start(noProxy: "")
        // Tested first, because a kept-alive tunnel would be reused without a request to the proxy.
        let (direct, none) = try test("direct", of: instance)
        #expect(direct.status == 0 && none.isEmpty, "\(direct) \(none)")
        let (addressed, byAddress) = try test("addressed", of: instance)
        #expect(addressed.status == 0, "\(addressed)")
        #expect(byAddress == ["127.0.0.1:\(shop.port)"])
    }

    /// NO_PROXY applies only to the environment's proxy.
    @Test func `the configured proxy is asked whatever the environment excepts`() throws {
        let instance = try start(noProxy: "*")
        let (configured, asked) = try test("configured", of: instance)
        #expect(configured.status == 0 && asked == ["shop.invalid:443"], "\(configured)")
        // Without a proxy the name does not resolve.
        let (named, none) = try test("named", of: instance)
        #expect(named.output.contains("dns_failed") && none.isEmpty, "\(named)")
    }
}
