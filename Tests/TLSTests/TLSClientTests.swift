import Testing

@testable import TLS

@Suite struct TLSClientTests {
    let files: Certificates
    let context: TLSContext

    init() throws {
        files = try Certificates.shared.get()
        context = try TLSContext(
            certificateFile: files.certificate("server"), keyFile: files.key("server"))
    }

    @Test(arguments: ["pay.example", "127.0.0.1", "::1", "[::1]"])
    func `accepts a trusted certificate for the host`(host: String) throws {
        let client = try TLSClient(trust: .file(files.certificate("ca")))
        #expect(TLSPair(context, client, host: host).connect())
    }

    @Test(arguments: [
        ("other.example", "hostname mismatch"), ("a.pay.example", "hostname mismatch"),
        ("127.0.0.2", "IP address mismatch"), ("[::2]", "IP address mismatch"),
    ])
    func `refuses a certificate for another host`(host: String, why: String) throws {
        let client = try TLSClient(trust: .file(files.certificate("ca")))
        let error = TLSPair(context, client, host: host).handshake().client.error
        #expect(error == .handshake("certificate verify failed: \(why)"))
    }

    @Test func `refuses a certificate of an unknown authority`() throws {
        for trust in [TLSClient.Trust.systemRoots, .file(files.certificate("stranger"))] {
            let ends = TLSPair(context, try TLSClient(trust: trust)).handshake()
            #expect(
                ends.client.error
                    == .handshake(
                        "certificate verify failed: unable to get local issuer certificate"))
            #expect(ends.server.error?.reason == "tls_handshake")
        }
    }

    @Test func `accepts anybody when told to`() throws {
        #expect(TLSPair(context, try TLSClient(trust: .anyone), host: "x.example").connect())
    }

    @Test func `a missing authority file is named`() {
        let missing = files.file("missing.pem")
        #expect(throws: TLSError.fileMissing(missing)) { try TLSClient(trust: .file(missing)) }
    }
}
