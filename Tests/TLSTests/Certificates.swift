import Foundation
import TestSupport

/// Certificates and keys that the `openssl` command makes once per test run, in a temporary folder.
struct Certificates: Sendable {
    static let shared = Result { try Certificates() }

    private static let folder = FileManager.default.temporaryDirectory
        .appending(path: "ipnd-tls-\(UUID().uuidString)")

    func certificate(_ name: String) -> String { file("\(name).pem") }
    func key(_ name: String) -> String { file("\(name).key") }
    func file(_ name: String) -> String { Self.folder.appending(path: name).path() }

    /// Writes `text` to a new file and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        return file(name)
    }

    private init() throws {
        try FileManager.default.createDirectory(
            at: Self.folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: Certificates.folder) }
        let elliptic = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        try make("ca", elliptic, subject: "/CN=Test authority")
        try make(
            "server", ["-newkey", "rsa:2048"], subject: "/CN=Server", issuer: "ca",
            names: "DNS:pay.example,IP:127.0.0.1,IP:::1")
        try make(
            "other", elliptic, subject: "/CN=Other", issuer: "ca", names: "DNS:other.example")
        try make(
            "wildcard", elliptic, subject: "/CN=Shops", issuer: "ca", names: "DNS:*.shop.example")
        try make("client", elliptic, subject: "/O=Gateway\nLtd/CN=gateway é", issuer: "ca")
        try make("stranger", elliptic, subject: "/CN=Stranger")
        try make("second", ["-newkey", "rsa:2048"], subject: "/CN=Second")
        try make("weak", ["-newkey", "rsa:1024"], subject: "/CN=Weak")
        try openSSL(
            ["pkcs8", "-topk8", "-in", key("server"), "-passout", "pass:x"]
                + ["-out", key("encrypted")])
        try openSSL(
            ["rsa", "-traditional", "-aes256", "-in", key("server"), "-passout", "pass:x"]
                + ["-out", key("encrypted-traditional")])
    }

    private func make(
        _ name: String, _ algorithm: [String], subject: String, issuer: String? = nil,
        names: String? = nil
    ) throws {
        var arguments = ["req", "-x509", "-nodes", "-days", "30", "-utf8", "-subj", subject]
        arguments += algorithm + ["-keyout", key(name), "-out", certificate(name)]
        if let issuer { arguments += ["-CA", certificate(issuer), "-CAkey", key(issuer)] }
        if let issuer, !issuer.isEmpty { arguments += ["-addext", "basicConstraints=CA:FALSE"] }
        if let names { arguments += ["-addext", "subjectAltName=\(names)"] }
        try openSSL(arguments)
    }

    private func openSSL(_ arguments: [String]) throws {
        let finished = try run("openssl", arguments)
        guard finished.status == 0 else { throw CommandFailure(arguments: arguments) }
    }

    private struct CommandFailure: Error {
        let arguments: [String]
    }
}
