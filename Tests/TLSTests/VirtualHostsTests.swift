import Testing

@testable import TLS

@Suite struct VirtualHostsTests {
    let context: TLSContext

    init() throws {
        let files = try Certificates.shared.get()
        context = try TLSContext(
            certificateFile: files.certificate("server"), keyFile: files.key("server"),
            clientCAFile: nil,
            additional: ["other", "wildcard"].map {
                (cert: files.certificate($0), key: files.key($0))
            })
    }

    /// An address is never sent as a host name (RFC 6066 section 3); an unknown host gets the first
    /// certificate.
    @Test(arguments: [
        ("pay.example", "CN=Server"), ("other.example", "CN=Other"), ("OTHER.example", "CN=Other"),
        ("a.shop.example", "CN=Shops"), ("a.b.shop.example", "CN=Server"),
        ("unknown.example", "CN=Server"), ("127.0.0.1", "CN=Server"),
    ])
    func `the named host picks the certificate`(host: String, subject: String) throws {
        let pair = TLSPair(context, try TLSClient(trust: .anyone), host: host)
        #expect(pair.connect())
        #expect(pair.client.peerCertificateSubject == subject)
        #expect(pair.server.serverName == (host == "127.0.0.1" ? nil : host))
    }

    @Test func `one certificate serves every host`() throws {
        let files = try Certificates.shared.get()
        let single = try TLSContext(
            certificateFile: files.certificate("server"), keyFile: files.key("server"))
        let pair = TLSPair(single, try TLSClient(trust: .anyone), host: "unknown.example")
        #expect(pair.connect())
        #expect(pair.server.serverName == "unknown.example")
    }
}
