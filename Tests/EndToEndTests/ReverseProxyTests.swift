import Foundation
import Providers
import TestSupport
import Testing

/// The committed proxy configurations, with the real programs.
@Suite struct ReverseProxyTests {
    static let trusting = "proxy: {trusted: [127.0.0.1/32], header: x-forwarded-for}"

    @Test(arguments: ["antom", "citcon"])
    func aNotificationThroughNginxIsAcknowledgedAndRecorded(_ endpoint: String) throws {
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
    func aNotificationThroughHaproxyIsAcknowledgedAndRecorded(_ endpoint: String) throws {
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
            // Its warnings are mistakes that it bears.
            #expect(!verdict.errors.contains("WARNING"), "\(verdict.errors)")
            return (program, ["-f", file, "-db"])
        }
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
        // A client that claims to be somebody else is not believed.
        try client.send(
            delivery.adding("X-Forwarded-For", "203.0.113.9").request(host: "shop.example"))
        #expect(try client.receive().status == 200)
        // A refusal of ours reaches the provider as it is.
        try client.send(delivery.replacing(body: Array("{}".utf8)).request(host: "shop.example"))
        #expect([400, 401].contains(try client.receive().status))
        let records = try instance.records()
        #expect(records.count == 1)
        #expect(records.first?["peer"] as? String == "127.0.0.1")
        #expect((records.first?["order"] as? [String: Any])?["reference"] as? String == "PROXY-1")
    }

    private static func configuration(_ name: String) throws -> String {
        try SourceTree.text("config/\(name)")
    }
}
