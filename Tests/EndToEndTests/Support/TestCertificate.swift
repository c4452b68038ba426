import Foundation
import TestSupport
import Testing

/// A certificate and its key, self-signed by the `openssl` command, in a separate folder.
final class TestCertificate {
    private let temporary = TemporaryFolder()
    var folder: String { temporary.path }
    var certificate: String { "\(folder)/cert.pem" }
    var key: String { "\(folder)/key.pem" }

    init(name: String = "localhost") throws {
        try renew(name: name)
    }

    /// Replaces the certificate and key by a new pair.
    func renew(name: String) throws {
        let made = try run(
            try #require(installedProgram("openssl")),
            ["req", "-x509", "-nodes", "-days", "30", "-newkey", "ec"]
                + ["-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=\(name)"]
                + ["-addext", "subjectAltName=DNS:\(name),IP:127.0.0.1"]
                + ["-keyout", key, "-out", certificate])
        try #require(made.status == 0, "\(made.errors)")
    }
}
