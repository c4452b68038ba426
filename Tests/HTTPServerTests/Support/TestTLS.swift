import Glibc
import TLS
import TestSupport

/// The settings of a TLS listener and its clients.
struct TestTLS: Sendable {
    static let shared = Result { try TestTLS() }

    let context: TLSContext
    /// A client's complete first message.
    let hello: [UInt8]

    private init() throws {
        let folder = TemporaryFolder()
        let (key, certificate) = (folder.file("key.pem"), folder.file("certificate.pem"))
        let made = try run(
            "openssl",
            ["req", "-x509", "-nodes", "-days", "30", "-subj", "/CN=localhost"]
                + ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
                + ["-keyout", key, "-out", certificate])
        precondition(made.status == 0, made.errors)
        context = try TLSContext(certificateFile: certificate, keyFile: key)
        hello = try Self.hello()
    }

    private static func hello() throws -> [UInt8] {
        let ends = TestClient.joinedSockets()
        defer { for end in ends { close(end) } }
        let client = try TLSClient(trust: .anyone)
        var session = TLSSession(connecting: client, descriptor: ends[0], host: "localhost")
        _ = session.handshake()
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(ends[1], &bytes, bytes.count, 0)
        return Array(bytes[..<max(0, count)])
    }
}
