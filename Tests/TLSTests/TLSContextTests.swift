import Foundation
import Testing

@testable import TLS

@Suite struct TLSContextTests {
    let files: Certificates

    init() throws { files = try Certificates.shared.get() }

    private func context(_ certificate: String, _ key: String) throws(TLSError) -> TLSContext {
        try TLSContext(certificateFile: certificate, keyFile: key)
    }

    @Test func `tells subject and expiry of each certificate`() throws {
        let context = try TLSContext(
            certificateFile: files.certificate("server"), keyFile: files.key("server"),
            additional: [(cert: files.certificate("other"), key: files.key("other"))])
        #expect(context.certificates.map(\.subject) == ["CN=Server", "CN=Other"])
        #expect(context.certificates.map(\.file).first == files.certificate("server"))
        let days = (Double(context.notAfter) - Date().timeIntervalSince1970) / 86400
        #expect((29.9...30.0).contains(days))
        #expect(context.notAfter == context.certificates.map(\.notAfter).min())
    }

    @Test func `a missing file is named`() {
        let missing = files.file("missing.pem")
        #expect(throws: TLSError.fileMissing(missing)) {
            try context(missing, files.key("server"))
        }
        #expect(throws: TLSError.fileMissing(missing)) {
            try context(files.certificate("server"), missing)
        }
        #expect(throws: TLSError.fileMissing(missing)) {
            try TLSContext(
                certificateFile: files.certificate("server"), keyFile: files.key("server"),
                clientCAFile: missing)
        }
        #expect(throws: TLSError.fileMissing(missing)) {
            try TLSContext(
                certificateFile: files.certificate("server"), keyFile: files.key("server"),
                additional: [(cert: missing, key: missing)])
        }
    }

    @Test func `a folder is unreadable`() {
        let folder = FileManager.default.temporaryDirectory.path()
        #expect(throws: TLSError.fileUnreadable(folder, errno: EISDIR)) {
            try context(folder, files.key("server"))
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root reads everything"))
    func `a file of somebody else is unreadable`() throws {
        let file = try files.write("x", to: "forbidden.pem")
        chmod(file, 0)
        #expect(throws: TLSError.fileUnreadable(file, errno: EACCES)) {
            try context(files.certificate("server"), file)
        }
    }

    @Test(arguments: ["", "no PEM\n", "-----BEGIN CERTIFICATE-----\n"])
    func `a file without PEM is named`(text: String) throws {
        let file = try files.write(text, to: "\(UUID().uuidString).pem")
        for body in [
            { try context(file, files.key("server")) },
            { try context(files.certificate("server"), file) },
            {
                try TLSContext(
                    certificateFile: files.certificate("server"), keyFile: files.key("server"),
                    clientCAFile: file)
            },
        ] {
            #expect(throws: TLSError.notPEM(file)) { _ = try body() }
        }
    }

    @Test func `certificate and key in each other's place are named`() {
        let (certificate, key) = (files.certificate("server"), files.key("server"))
        #expect(throws: TLSError.notPEM(key)) { try context(key, certificate) }
        #expect(throws: TLSError.notPEM(certificate)) { try context(certificate, certificate) }
    }

    @Test(arguments: ["second", "other"])
    func `the key of another certificate is refused`(name: String) {
        let (certificate, key) = (files.certificate("server"), files.key(name))
        #expect(throws: TLSError.keyMismatch(certificate: certificate, key: key)) {
            try context(certificate, key)
        }
    }

    @Test(arguments: ["encrypted", "encrypted-traditional"])
    func `a key with a passphrase is refused without asking for it`(name: String) {
        #expect(throws: TLSError.keyEncrypted(files.key(name))) {
            try context(files.certificate("server"), files.key(name))
        }
    }

    @Test func `a weak certificate is refused`() {
        let certificate = files.certificate("weak")
        #expect(throws: TLSError.certificateRefused(certificate, detail: "ee key too small")) {
            try context(certificate, files.key("weak"))
        }
    }
}
