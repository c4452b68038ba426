import Foundation
import TestSupport
import Testing

/// A way in which a real proxy passes its client's address to ipnd.
struct ProxyChain: Sendable, CustomTestStringConvertible {
    enum Program: String { case nginx, haproxy }

    let name: String
    let program: Program
    /// The settings in the proxy's configuration and in ipnd's listener.
    let telling: String
    let listening: String
    /// Whether the proxy reaches ipnd by a Unix-domain socket.
    let usesSocketFile: Bool
    /// The result if ipnd does not trust the proxy.
    let distrusted: Int

    init(
        _ name: String, _ program: Program, telling: String, listening: String,
        usesSocketFile: Bool = false, distrusted: Int = 403
    ) {
        self.name = name
        self.program = program
        self.telling = telling
        self.listening = listening
        self.usesSocketFile = usesSocketFile
        self.distrusted = distrusted
    }

    var testDescription: String { name }

    /// The proxies append to the client's own claims, which is the harder case. If the PROXY
    /// protocol is not trusted, the connection fails, which haproxy reports with 502 or, in TCP
    /// mode, by closing.
    static let all = [
        ProxyChain(
            "nginx, x-forwarded-for", .nginx,
            telling: "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
            listening: "header: x-forwarded-for"),
        ProxyChain(
            "nginx, forwarded", .nginx,
            telling: "proxy_set_header Forwarded '$http_forwarded, for=$remote_addr;proto=http';",
            listening: "header: forwarded"),
        ProxyChain(
            "haproxy, x-forwarded-for, Unix socket", .haproxy,
            telling: "mode http\n option forwardfor", listening: "header: x-forwarded-for",
            usesSocketFile: true),
        ProxyChain(
            "haproxy, PROXY v1, TCP", .haproxy, telling: "mode tcp\n default-server send-proxy",
            listening: "protocol: proxy", distrusted: 0),
        ProxyChain(
            "haproxy, PROXY v2, TCP", .haproxy, telling: "mode tcp\n default-server send-proxy-v2",
            listening: "protocol: proxy", distrusted: 0),
        ProxyChain(
            "haproxy, PROXY v2, HTTP", .haproxy,
            telling: "mode http\n default-server send-proxy-v2", listening: "protocol: proxy",
            distrusted: 502),
        ProxyChain(
            "haproxy, PROXY v2, Unix socket", .haproxy,
            telling: "mode tcp\n default-server send-proxy-v2", listening: "protocol: proxy",
            usesSocketFile: true),
    ]

    /// The address for ipnd to listen at, in a separate folder.
    func address(in folder: String) -> String {
        usesSocketFile ? "unix:\(folder)/ipnd.sock" : "127.0.0.1:0"
    }

    /// Starts the proxy in front of `instance`, on `port`; nil if it is not installed.
    func start(before instance: Instance, on port: UInt16) throws -> BackgroundProgram? {
        guard let binary = installedProgram(program.rawValue) else { return nil }
        let folder = instance.folder
        let file = "\(folder)/proxy.conf"
        switch program {
        case .nginx:
            try nginx(folder, to: "127.0.0.1:\(instance.port)", on: port)
                .write(toFile: file, atomically: true, encoding: .utf8)
            return try BackgroundProgram(binary, ["-p", folder, "-c", file, "-g", "daemon off;"])
        case .haproxy:
            let target =
                usesSocketFile ? "unix@\(folder)/ipnd.sock" : "127.0.0.1:\(instance.port)"
            try haproxy(to: target, on: port)
                .write(toFile: file, atomically: true, encoding: .utf8)
            return try BackgroundProgram(binary, ["-f", file, "-db"])
        }
    }

    private func nginx(_ folder: String, to target: String, on port: UInt16) -> String {
        """
        pid \(folder)/nginx.pid;
        error_log \(folder)/error.log;
        events {}
        http {
          access_log off;
          client_body_temp_path \(folder)/b; proxy_temp_path \(folder)/p;
          fastcgi_temp_path \(folder)/f; uwsgi_temp_path \(folder)/u; scgi_temp_path \(folder)/s;
          server {
            listen 127.0.0.1:\(port);
            location / { proxy_pass http://\(target); \(telling) }
          }
        }
        """
    }

    private func haproxy(to target: String, on port: UInt16) -> String {
        """
        defaults
         timeout connect 5s
         timeout client 20s
         timeout server 20s
         \(telling)
        listen ipnd
         bind 127.0.0.1:\(port)
         server ipnd \(target)

        """
    }
}
