import Foundation
import HTTP
import HTTPServer
import Platform
import TLS
import TestSupport
import Testing

/// Our own HTTP server with TLS, on a port that the kernel chose.
final class SecureServer: Sendable {
    private let server: HTTPServer
    private let folder = TemporaryFolder()
    let certificateFile: String
    let port: UInt16

    /// - Parameter clientCA: If given, clients need a certificate from this authority.
    init(_ certificate: Certificate, clientCA: String? = nil) throws {
        certificateFile = try folder.write("cert.pem", certificate.certificate)
        let key = try folder.write("key.pem", certificate.key)
        let context = try TLSContext(
            certificateFile: certificateFile, keyFile: key, clientCAFile: clientCA, additional: [])
        let address = try #require(SocketAddress("127.0.0.1:0"))
        server = try HTTPServer(
            ServerSettings(
                listeners: [ListenerSettings(address: address, tls: context)], limits: Limits()),
            handler: Greeting())
        guard case .ip(_, let port) = server.addresses[0] else { throw POSIXError(.EINVAL) }
        self.port = port
    }

    /// Stops the server at once.
    func stop() async {
        let drain = Task { [server] in await server.drain() }
        drain.cancel()
        await drain.value
    }

    private struct Greeting: RequestHandler {
        func respond(to request: Request, in context: RequestContext) async -> Response {
            Response(status: 200, body: Array((context.clientCertificate ?? "hello").utf8))
        }

        func refused(_ reason: String, status: Int?, in context: RequestContext) {}
    }
}

/// A certificate with its key, PEM.
struct Certificate: Sendable {
    var certificate: String
    var key: String

    /// A new self-signed certificate for these names.
    static func fresh(
        _ name: String = "localhost", alternatives: String = "DNS:localhost,IP:127.0.0.1"
    ) throws -> Certificate {
        let folder = TemporaryFolder()
        let made = try run(
            try #require(installedProgram("openssl")),
            ["req", "-x509", "-nodes", "-days", "30", "-newkey", "ec"]
                + ["-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=\(name)"]
                + ["-addext", "subjectAltName=\(alternatives)"]
                + ["-keyout", folder.file("key"), "-out", folder.file("cert")])
        try #require(made.status == 0, "\(made.errors)")
        return Certificate(certificate: try folder.text("cert"), key: try folder.text("key"))
    }
}
