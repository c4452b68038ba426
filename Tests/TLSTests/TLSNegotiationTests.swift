import COpenSSL
import Testing

@testable import TLS

/// The protocols and ciphers that the server accepts and refuses.
@Suite struct TLSNegotiationTests {
    let context: TLSContext
    let client: TLSClient

    init() throws {
        let files = try Certificates.shared.get()
        context = try TLSContext(
            certificateFile: files.certificate("server"), keyFile: files.key("server"))
        client = try TLSClient(trust: .anyone)
    }

    private func pair(_ adjust: (OpaquePointer) -> Void) -> TLSPair {
        TLSPair(context, client, adjust: adjust)
    }

    private static func use(_ version: Int32, _ context: OpaquePointer) {
        // The order matters: the minimum must not exceed the maximum.
        _ = ipnd_SSL_CTX_set_min_proto_version(context, version)
        _ = ipnd_SSL_CTX_set_max_proto_version(context, version)
    }

    @Test(arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
    func `agrees to TLS 1.2 and 1.3`(version: Int32, name: String) {
        let pair = pair { Self.use(version, $0) }
        #expect(pair.connect())
        #expect(pair.server.protocolVersion == name)
    }

    @Test(arguments: [TLS1_VERSION, TLS1_1_VERSION])
    func `refuses earlier versions`(version: Int32) {
        let pair = pair { context in
            Self.use(version, context)
            SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
        }
        #expect(pair.handshake().server.error == .handshake("unsupported protocol"))
    }

    @Test(arguments: [
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-AES128-GCM-SHA256",
        "ECDHE-RSA-CHACHA20-POLY1305",
    ])
    func `agrees to ECDHE with AEAD`(cipher: String) {
        let pair = pair { context in
            Self.use(TLS1_2_VERSION, context)
            SSL_CTX_set_cipher_list(context, cipher)
        }
        #expect(pair.connect())
        #expect(pair.server.cipher == cipher)
    }

    /// RSA key exchange, finite-field Diffie-Hellman, and CBC.
    @Test(arguments: [
        "AES128-GCM-SHA256", "AES256-SHA", "DHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-AES128-SHA256",
        "ECDHE-RSA-AES256-SHA",
    ])
    func `refuses other key exchanges and ciphers`(cipher: String) {
        let pair = pair { context in
            Self.use(TLS1_2_VERSION, context)
            SSL_CTX_set_cipher_list(context, cipher)
        }
        #expect(pair.handshake().server.error == .handshake("no shared cipher"))
    }

    @Test(arguments: ["X25519", "P-256", "P-384"], [TLS1_2_VERSION, TLS1_3_VERSION])
    func `agrees to three groups`(group: String, version: Int32) {
        let pair = pair { context in
            Self.use(version, context)
            _ = ipnd_SSL_CTX_set1_groups_list(context, group)
        }
        #expect(pair.connect())
    }

    @Test(arguments: ["P-521", "X448"])
    func `refuses other groups`(group: String) {
        let pair = pair { _ = ipnd_SSL_CTX_set1_groups_list($0, group) }
        #expect(pair.handshake().server.error?.reason == "tls_handshake")
    }

    @Test func `a renegotiation is refused`() {
        let pair = pair { context in
            Self.use(TLS1_2_VERSION, context)
            SSL_CTX_clear_options(context, ipnd_SSL_OP_client())
        }
        #expect(pair.connect())
        let cipher = pair.server.cipher
        #expect(SSL_renegotiate(pair.client.ssl) == 1)
        _ = SSL_do_handshake(pair.client.ssl)
        #expect(pair.server.readText().step == .wantsRead)
        #expect(pair.client.readText().step.error == .record("no renegotiation"))
        #expect(pair.server.cipher == cipher)
    }
}
