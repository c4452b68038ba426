import Foundation
import TestSupport
import Testing
import WebClient

/// HTTP/2 with nginx.
@Suite(.ownThreads) struct WebVersionTests {
    @Test(.enabled(if: installedProgram("nginx") != nil, "nginx is not installed"))
    func `requests share a connection of HTTP/2`() async throws {
        let nginx = try await NginxServer()
        defer { nginx.stop() }
        let client = WebClient()
        var request = WebRequest("POST", try WebURL("https://localhost:\(nginx.port)/"))
        request.route.proxy = .direct
        request.route.caFile = nginx.certificateFile
        // Without a body: this nginx answers without reading one, and may then reset the stream.
        request.body = []
        let answers = try await withThrowingTaskGroup(of: WebResponse.self) { group in
            for _ in 0..<50 { group.addTask { [request] in try await client.send(request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.map(\.version) == Array(repeating: "2", count: 50))
        #expect(answers.allSatisfy { $0.status == 202 && $0.body == Array("taken\n".utf8) })
        // All streams of one connection.
        #expect(answers.filter(\.usedNewConnection).count == 1)
    }
}

/// nginx with TLS and HTTP/2 and without an upstream.
private final class NginxServer {
    private let folder = TemporaryFolder()
    private let process: Child
    let port: UInt16
    let certificateFile: String

    init() async throws {
        let certificate = try Certificate.fresh()
        certificateFile = try folder.write("cert.pem", certificate.certificate)
        let key = try folder.write("key.pem", certificate.key)
        // nginx cannot report the port that the kernel chose.
        port = try FreePort.take()
        let path = folder.path
        let file = try folder.write(
            "nginx.conf",
            """
            pid \(path)/nginx.pid;
            error_log \(path)/error.log;
            events {}
            http {
              access_log off;
              client_body_temp_path \(path)/b; proxy_temp_path \(path)/p;
              fastcgi_temp_path \(path)/f; uwsgi_temp_path \(path)/u; scgi_temp_path \(path)/s;
              server {
                listen 127.0.0.1:\(port) ssl http2;
                ssl_certificate \(certificateFile); ssl_certificate_key \(key);
                location / { return 202 "taken\\n"; }
              }
            }

            """)
        process = try Child(
            try #require(installedProgram("nginx")), ["-p", path, "-c", file, "-g", "daemon off;"])
        let pid = folder.file("nginx.pid")
        // Written when it listens.
        let isReady = await eventuallyYielding { FileManager.default.fileExists(atPath: pid) }
        try #require(isReady)
    }

    func stop() { process.kill() }
}
