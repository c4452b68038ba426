import COpenSSL
import Testing

@testable import TLS

@Suite struct ClientCertificateTests {
    let files: Certificates
    let context: TLSContext

    init() throws {
        files = try Certificates.shared.get()
        context = try TLSContext(
            certificateFile: files.certificate("server"), keyFile: files.key("server"),
            clientCAFile: files.certificate("ca"),
            additional: [(cert: files.certificate("other"), key: files.key("other"))])
    }

    private func pair(_ identity: String?, host: String, version: Int32) throws -> TLSPair {
        let client = try TLSClient(
            trust: .anyone, identity: identity.map { (files.certificate($0), files.key($0)) })
        return TLSPair(context, client, host: host) { context in
            _ = ipnd_SSL_CTX_set_max_proto_version(context, version)
        }
    }

    @Test(arguments: ["pay.example", "other.example"], [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a client of the authority is served and named`(host: String, version: Int32) throws {
        let pair = try pair("client", host: host, version: version)
        #expect(pair.connect())
        // The line break and the letter outside ASCII are escaped.
        #expect(pair.server.peerCertificateSubject == #"CN=gateway \C3\A9,O=Gateway\0ALtd"#)
    }

    @Test(arguments: ["pay.example", "other.example"], [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a client without certificate is refused`(host: String, version: Int32) throws {
        let pair = try pair(nil, host: host, version: version)
        #expect(
            pair.handshake().server.error == .handshake("peer did not return a certificate"))
        #expect(pair.server.peerCertificateSubject == nil)
    }

    @Test(arguments: ["pay.example", "other.example"], [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a client of another authority is refused`(host: String, version: Int32) throws {
        let pair = try pair("stranger", host: host, version: version)
        let error = pair.handshake().server.error
        #expect(
            error == .handshake("certificate verify failed: self-signed certificate"))
        #expect(pair.server.readText().step.error == error)
    }
}
