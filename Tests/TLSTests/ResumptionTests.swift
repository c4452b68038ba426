import COpenSSL
import Foundation
import Testing

@testable import TLS

/// A client's next connection resumes the session of an earlier one.
@Suite struct ResumptionTests {
    private let files: Certificates

    init() throws { files = try Certificates.shared.get() }

    private func context(_ sessionsMax: Int, clientCA: String? = nil) throws -> TLSContext {
        try TLSContext(
            certificateFile: files.certificate("server"), keyFile: files.key("server"),
            clientCAFile: clientCA, sessionsMax: sessionsMax)
    }

    /// Connects twice, the second time with the first session; returns whether the server resumed
    /// each.
    private func connectTwice(
        _ context: TLSContext, version: Int32 = TLS1_3_VERSION,
        _ client: () throws -> TLSClient = { try TLSClient(trust: .anyone) },
        subject: String? = nil
    ) throws -> [Bool] {
        var session: OpaquePointer?
        defer { SSL_SESSION_free(session) }
        return try (0..<2).map { _ in
            let pair = TLSPair(context, try client()) {
                #expect(ipnd_SSL_CTX_set_max_proto_version($0, version) == 1)
            }
            if let session { #expect(SSL_set_session(pair.client.ssl, session) == 1) }
            #expect(pair.connect())
            // The ticket of TLS 1.3 follows the handshake.
            #expect(pair.server.write("hello") == .done(5))
            #expect(pair.client.readText().text == "hello")
            let shown = pair.server.peerCertificateSubject
            #expect(shown == subject)
            // Sessions that end without close_notify are not resumed.
            _ = pair.server.shutdown()
            _ = pair.client.shutdown()
            SSL_SESSION_free(session)
            session = SSL_get1_session(pair.client.ssl)
            return pair.server.isResumed
        }
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `the next connection is resumed`(_ version: Int32) throws {
        #expect(try connectTwice(context(10), version: version) == [false, true])
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `without memory each handshake is full`(_ version: Int32) throws {
        #expect(try connectTwice(context(0), version: version) == [false, false])
    }

    @Test func `without memory nothing is given to the client`() throws {
        let context = try context(0)
        for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
            let pair = TLSPair(context, try TLSClient(trust: .anyone)) {
                #expect(ipnd_SSL_CTX_set_max_proto_version($0, version) == 1)
            }
            #expect(pair.connect())
            #expect(pair.server.write("x") == .done(1))
            // TLS 1.3 tickets would have come before this.
            #expect(pair.client.readText().text == "x")
            let session = SSL_get_session(pair.client.ssl)
            #expect(SSL_SESSION_has_ticket(session) == 0)
            var length: UInt32 = 0
            SSL_SESSION_get_id(session, &length)
            #expect(length == 0 || version == TLS1_3_VERSION)
            #expect(version == TLS1_2_VERSION || SSL_SESSION_is_resumable(session) == 0)
        }
    }

    @Test func `the client's certificate is still known`() throws {
        let context = try context(10, clientCA: files.certificate("ca"))
        let resumed = try connectTwice(
            context,
            {
                try TLSClient(
                    trust: .anyone,
                    identity: (files.certificate("client"), files.key("client")))
            }, subject: #"CN=gateway \C3\A9,O=Gateway\0ALtd"#)
        #expect(resumed == [false, true])
    }

    /// TLS 1.3 remembers two sessions a connection, one for each ticket.
    @Test(arguments: [(1, false), (100, true)])
    func `old sessions give way to new ones`(_ sessionsMax: Int, _ isRemembered: Bool) throws {
        let context = try context(sessionsMax)
        var first: OpaquePointer?
        defer { SSL_SESSION_free(first) }
        for attempt in 0..<2 {
            let pair = TLSPair(context, try TLSClient(trust: .anyone))
            #expect(pair.connect())
            #expect(pair.server.write("hello") == .done(5))
            #expect(pair.client.readText().text == "hello")
            _ = pair.server.shutdown()
            _ = pair.client.shutdown()
            if attempt == 0 { first = SSL_get1_session(pair.client.ssl) }
        }
        let pair = TLSPair(context, try TLSClient(trust: .anyone))
        #expect(SSL_set_session(pair.client.ssl, first) == 1)
        #expect(pair.connect())
        let isResumed = pair.server.isResumed
        #expect(isResumed == isRemembered)
    }
}
