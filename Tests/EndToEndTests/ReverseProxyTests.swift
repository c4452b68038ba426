import Foundation
import Providers
import TestSupport
import Testing

/// Tests the proxy configurations of the repository with the real programs.
@Suite(.ownThreads) struct ReverseProxyTests {
    static let trusting = "proxy: {trusted: [127.0.0.1/32], header: x-forwarded-for}"

    @Test(arguments: ["antom", "citcon"])
    func `a notification through nginx is acknowledged and recorded`(_ endpoint: String) throws {
        let program = try #require(installedProgram("nginx"), "nginx is not installed")
        try throughProxy(endpoint) { instance, port in
            let folder = instance.folder
            let text = try Self.configuration("nginx.conf")
                .replacingOccurrences(of: "127.0.0.1:8080", with: "127.0.0.1:\(instance.port)")
                .replacingOccurrences(of: "127.0.0.1:9090", with: "127.0.0.1:\(instance.adminPort)")
                .replacingOccurrences(of: "listen 80;", with: "listen 127.0.0.1:\(port);")
                .replacingOccurrences(of: "/run/nginx.pid", with: "\(folder)/nginx.pid")
                .replacingOccurrences(of: "/var/log/nginx/", with: "\(folder)/")
            let file = "\(folder)/nginx.conf"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let verdict = try run(program, ["-t", "-p", folder, "-c", file])
            #expect(verdict.status == 0, "\(verdict.errors)")
            return (program, ["-p", folder, "-c", file, "-g", "daemon off;"])
        }
    }

    @Test(arguments: ["antom", "citcon"])
    func `a notification through haproxy is acknowledged and recorded`(_ endpoint: String) throws {
        let program = try #require(installedProgram("haproxy"), "haproxy is not installed")
        try throughProxy(endpoint) { instance, port in
            let text = try Self.configuration("haproxy.cfg")
                .replacingOccurrences(of: "127.0.0.1:8080", with: "127.0.0.1:\(instance.port)")
                .replacingOccurrences(of: "port 9090", with: "port \(instance.adminPort)")
                .replacingOccurrences(of: "bind :80", with: "bind 127.0.0.1:\(port)")
            let file = "\(instance.folder)/haproxy.cfg"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let verdict = try run(program, ["-c", "-f", file])
            #expect(verdict.status == 0, "\(verdict.output)\(verdict.errors)")
            // Its warnings are errors that it tolerates.
            #expect(!verdict.errors.contains("WARNING"), "\(verdict.errors)")
            return (program, ["-f", file, "-db"])
        }
    }

    /// The server answers but its health check fails: the proxy sends no more requests to it.
    @Test func `haproxy asks the admin listener for health`() throws {
        let program = try #require(installedProgram("haproxy"), "haproxy is not installed")
        let folder = TemporaryFolder()
        let ports = try (0..<2).map { _ in try FreePort.take() }
        let isHealthy = Box(true)
        let health = try LocalServer(once: { request in
            guard request.hasPrefix("GET /healthz HTTP/1.") else { return nil }
            return LocalServer.answer(isHealthy.get() ? 200 : 503)
        })
        let text = try Self.configuration("haproxy.cfg")
            .replacingOccurrences(of: "127.0.0.1:8080", with: "127.0.0.1:\(ports[0])")
            .replacingOccurrences(of: "port 9090", with: "port \(health.port)")
            .replacingOccurrences(of: "bind :80", with: "bind 127.0.0.1:\(ports[1])")
        let file = try folder.write("haproxy.cfg", text)
        let echo = try BackgroundProgram(
            Binary.bench, ["echo", "--listen", "127.0.0.1:\(ports[0])"])
        defer { echo.kill() }
        _ = try #require(try echo.connect(port: ports[0]), "\(echo.output)")
        let proxy = try BackgroundProgram(program, ["-f", file, "-db"])
        defer { proxy.kill() }
        let request = "POST /ipn/a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
        func status() throws -> Int {
            let client = try #require(try proxy.connect(port: ports[1]), "\(proxy.output)")
            try client.send(request)
            return try client.receive().status
        }
        #expect(try eventually { try status() == 200 }, "\(proxy.output)")
        isHealthy.set(false)
        #expect(try eventually { try status() == 503 }, "\(proxy.output)")
    }

    /// The proxy must close idle connections before ipnd does, and wait for an answer longer than
    /// ipnd waits for the disk.
    @Test func `the times of the proxies fit those of ipnd`() throws {
        let ours = try SourceTree.text("config/ipnd.yaml")
        func seconds(_ pattern: Regex<(Substring, Substring)>, _ text: String) throws -> Int {
            let match = try #require(text.firstMatch(of: pattern))
            return try #require(Int(match.1))
        }
        let idle = try seconds(#/keepAliveSecondsMax: ([0-9]+)/#, ours)
        let nginx = try Self.configuration("nginx.conf")
        let haproxy = try Self.configuration("haproxy.cfg")
        #expect(try seconds(#/keepalive_timeout ([0-9]+)s/#, nginx) < idle)
        #expect(try seconds(#/timeout http-keep-alive ([0-9]+)s/#, haproxy) < idle)
        let wait = try seconds(#/requestSecondsMax: ([0-9]+)/#, ours)
        #expect(try seconds(#/proxy_read_timeout ([0-9]+)s/#, nginx) > wait)
        #expect(try seconds(#/timeout server ([0-9]+)s/#, haproxy) > wait)
        // Bodies up to ipnd's limit.
        #expect(ours.contains("bodyBytesMax: 1048576") && nginx.contains("client_max_body_size 1m"))
    }

    private func throughProxy(
        _ endpoint: String,
        _ proxy: (Instance, UInt16) throws -> (program: String, arguments: [String])
    ) throws {
        let instance = try Instance { text in
            text.replacingOccurrences(
                of: #"- address: "127.0.0.1:0""#,
                with: "- address: \"127.0.0.1:0\"\n    \(Self.trusting)")
        }
        let port = try FreePort.take()
        let (program, arguments) = try proxy(instance, port)
        let process = try BackgroundProgram(program, arguments)
        defer { process.stop() }
        let delivery = try SandboxProvider(endpoint, of: instance).delivery(reference: "PROXY-1")
        let client = try #require(try process.connect(port: port), "\(process.output)")
        // A client's own claim of another address is ignored.
        try client.send(
            delivery.adding("X-Forwarded-For", "203.0.113.9").request(host: "shop.example"))
        #expect(try client.receive().status == 200)
        // A refusal by ipnd reaches the provider unchanged.
        try client.send(delivery.replacing(body: Array("{}".utf8)).request(host: "shop.example"))
        #expect([400, 401].contains(try client.receive().status))
        if program.hasSuffix("nginx") {
            // Only the readiness check of the admin listener is reachable from outside.
            try client.send("GET /readyz HTTP/1.1\r\nHost: shop.example\r\n\r\n")
            #expect(try client.receive().status == 200)
            for path in ["/metrics", "/orders", "/readyz/../metrics"] {
                try client.send("GET \(path) HTTP/1.1\r\nHost: shop.example\r\n\r\n")
                let answer = try client.receive()
                // nginx itself answers: the file does not exist or is forbidden.
                #expect([403, 404].contains(answer.status), "\(path): \(answer)")
            }
        }
        let records = try instance.records()
        #expect(records.count == 1)
        #expect(records.first?["peer"] as? String == "127.0.0.1")
        #expect((records.first?["order"] as? [String: Any])?["reference"] as? String == "PROXY-1")
    }

    private static func configuration(_ name: String) throws -> String {
        try SourceTree.text("config/\(name)")
    }
}
