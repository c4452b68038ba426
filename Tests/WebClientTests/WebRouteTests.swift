import Foundation
import Platform
import TestSupport
import Testing
import WebClient

/// The trusted certificates, the allowed addresses and the proxies of a client.
@Suite struct WebRouteTests {
    private let client = WebClient()

    private func get(
        _ url: String, _ change: (inout WebRequest) -> Void = { _ in }
    ) async throws(WebFailure) -> WebResponse {
        guard let url = try? WebURL(url) else { throw WebFailure(.requestInvalid, url) }
        var request = WebRequest("GET", url)
        request.route.proxy = .direct
        change(&request)
        return try await client.send(request)
    }

    private func failure(
        _ url: String, _ change: (inout WebRequest) -> Void = { _ in }
    ) async throws -> WebFailure {
        try await #require(throws: WebFailure.self) { try await get(url, change) }
    }

    // MARK: Trust

    @Test func `a certificate of the given authority is trusted`() async throws {
        let server = try SecureServer(.fresh())
        let file = server.certificateFile
        let answer = try await get("https://localhost:\(server.port)/") { $0.route.caFile = file }
        #expect(answer.status == 200 && answer.body == Array("hello".utf8))
        await server.stop()
    }

    @Test func `an unknown authority is not trusted`() async throws {
        let server = try SecureServer(.fresh())
        let other = try SecureServer(.fresh())
        for file in [nil, other.certificateFile] {
            let failure = try await failure("https://localhost:\(server.port)/") {
                $0.route.caFile = file
            }
            #expect(failure.reason == .tlsUnverified, "\(failure)")
        }
        await server.stop()
        await other.stop()
    }

    @Test func `another host's certificate is not trusted`() async throws {
        let server = try SecureServer(.fresh("shop.example", alternatives: "DNS:shop.example"))
        let file = server.certificateFile
        let failure = try await failure("https://localhost:\(server.port)/") {
            $0.route.caFile = file
        }
        #expect(failure.reason == .tlsUnverified)
        #expect(failure.detail.contains("localhost"), "\(failure)")
        await server.stop()
    }

    @Test func `an expired certificate is not trusted`() async throws {
        let server = try SecureServer(.expired)
        let file = server.certificateFile
        let failure = try await failure("https://localhost:\(server.port)/") {
            $0.route.caFile = file
        }
        #expect(failure.reason == .tlsUnverified)
        #expect(failure.detail.contains("expired"), "\(failure)")
        await server.stop()
    }

    @Test func `where no TLS is spoken the handshake fails`() async throws {
        let server = try LocalServer { peer in
            _ = peer.read()
            peer.write(LocalServer.answer(400))
        }
        let failure = try await failure("https://localhost:\(server.port)/")
        #expect(failure.reason == .tlsFailed, "\(failure)")
    }

    @Test func `a handshake that never ends is a connect timeout`() async throws {
        let server = try LocalServer { $0.awaitEnd() }
        let failure = try await failure("https://localhost:\(server.port)/") {
            $0.limits.connectMillisecondsMax = 100
        }
        #expect(failure.reason == .connectTimeout, "\(failure)")
    }

    @Test func `a client certificate is shown`() async throws {
        let folder = TemporaryFolder()
        let own = try Certificate.fresh("ipnd")
        let certificate = try folder.write("client.pem", own.certificate)
        let key = try folder.write("client-key.pem", own.key)
        let server = try SecureServer(.fresh(), clientCA: certificate)
        let file = server.certificateFile
        let answer = try await get("https://localhost:\(server.port)/") {
            $0.route.caFile = file
            $0.route.clientCertificate = (certificate, key)
        }
        #expect(String(decoding: answer.body, as: UTF8.self).contains("ipnd"))
        let without = try? await get("https://localhost:\(server.port)/") { $0.route.caFile = file }
        #expect(without == nil)
        let missing = try await failure("https://localhost:\(server.port)/") {
            $0.route.caFile = file
            $0.route.clientCertificate = (folder.file("nothing"), key)
        }
        #expect(missing.reason == .tlsSettings, "\(missing)")
        await server.stop()
    }

    // MARK: Addresses

    /// On loopback, so that a mistake calls no other host: `AddressRulesTests` has the networks.
    @Test(arguments: ["127.0.0.2", "2130706434", "[::ffff:7f00:2]", "127.2"])
    func `a refused address in the URL is not called`(_ host: String) async throws {
        let server = try LocalServer(answering: LocalServer.answer())
        let second = ["127.0.0.2/32"].compactMap { IPNetwork($0) }
        let failure = try await failure("http://\(host):\(server.port)/") {
            $0.route.addresses.refused = second
        }
        #expect(failure.reason == .addressRefused, "\(failure)")
        // Also not through a proxy, which would call it.
        let proxied = try await self.failure("http://\(host)/") {
            $0.route.addresses.refused = second
            $0.route.proxy = .url("http://127.0.0.1:\(server.port)")
        }
        #expect(proxied.reason == .addressRefused)
        #expect(server.connections == 0)
    }

    private static let loopback = ["127.0.0.0/8", "::1/128"].compactMap { IPNetwork($0) }

    @Test func `a name is checked where it leads`() async throws {
        let server = try LocalServer(answering: LocalServer.answer())
        let refused = try await failure("http://localhost:\(server.port)/") {
            $0.route.addresses.refused = Self.loopback
        }
        #expect(refused.reason == .addressRefused, "\(refused)")
        #expect(server.connections == 0)
        let allowed = try await get("http://localhost:\(server.port)/") {
            $0.route.addresses = AddressRules(allowed: Self.loopback, refused: Self.loopback)
        }
        #expect(allowed.status == 200)
    }

    /// A connection opened for an allowed request is not used for one that is not allowed.
    @Test func `a kept connection is checked too`() async throws {
        let server = try LocalServer(answering: LocalServer.answer())
        #expect(try await get("http://localhost:\(server.port)/").status == 200)
        let refused = try await failure("http://localhost:\(server.port)/") {
            $0.route.addresses.refused = Self.loopback
        }
        #expect(refused.reason == .addressRefused, "\(refused)")
        #expect(server.requests.count == 1)
    }

    // MARK: Proxies

    @Test func `a proxy is asked for plain URLs`() async throws {
        let proxy = try LocalServer(answering: LocalServer.answer(204))
        let answer = try await get("http://shop.invalid/hook") {
            $0.route.proxy = .url("http://user:word@127.0.0.1:\(proxy.port)")
        }
        #expect(answer.status == 204)
        let head = try #require(proxy.requests.first)
        #expect(head.hasPrefix("GET http://shop.invalid/hook HTTP/1.1\r\n"))
        #expect(head.contains("Proxy-Authorization: Basic dXNlcjp3b3Jk"))
    }

    @Test func `a proxy carries TLS without seeing it`() async throws {
        let server = try SecureServer(.fresh())
        let port = server.port
        let proxy = try LocalServer { peer in
            guard peer.readRequest() != nil else { return }
            peer.write("HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")
            peer.splice(to: port)
        }
        let file = server.certificateFile
        let answer = try await get("https://localhost:\(port)/") {
            $0.route.caFile = file
            $0.route.proxy = .url("http://127.0.0.1:\(proxy.port)")
        }
        #expect(answer.body == Array("hello".utf8))
        #expect(answer.header("x-proxy") == nil)
        #expect(proxy.requests.first?.hasPrefix("CONNECT localhost:\(port) HTTP/1.1") == true)
        await server.stop()
    }

    @Test func `a proxy that refuses or is away is named`() async throws {
        let proxy = try LocalServer(answering: LocalServer.answer(403))
        let refused = try await failure("https://shop.invalid/") {
            $0.route.proxy = .url("http://127.0.0.1:\(proxy.port)")
        }
        #expect(refused.reason == .proxyFailed, "\(refused)")
        #expect(refused.status == nil)
        let unknown = try await failure("https://shop.invalid/") {
            $0.route.proxy = .url("http://proxy.invalid:3128")
        }
        #expect(unknown.reason == .proxyFailed, "\(unknown)")
    }
}
