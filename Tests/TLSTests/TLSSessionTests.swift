import COpenSSL
import Foundation
import Testing

@testable import TLS

@Suite struct TLSSessionTests {
    let context: TLSContext
    let pair: TLSPair

    init() throws {
        let files = try Certificates.shared.get()
        context = try TLSContext(
            certificateFile: files.certificate("server"), keyFile: files.key("server"))
        pair = TLSPair(context, try TLSClient(trust: .anyone))
    }

    /// A server's session whose peer sends `bytes` as they are.
    private func serve(_ bytes: [UInt8], thenClose: Bool = false) -> TLSSession.Step {
        let (peer, descriptor) = TLSPair.socketPair()
        defer { close(descriptor) }
        defer { if !thenClose { close(peer) } }
        _ = bytes.withUnsafeBytes { Glibc.write(peer, $0.baseAddress, $0.count) }
        if thenClose { TLSPair.end(peer) }
        var session = TLSSession(accepting: context, descriptor: descriptor)
        return session.handshake()
    }

    @Test func `carries bytes both ways`() {
        #expect(pair.connect())
        #expect(pair.server.readText().step == .wantsRead)
        #expect(pair.client.write("hello") == .done(5))
        #expect(pair.server.readText().text == "hello")
        #expect(pair.server.write("hello yourself") == .done(14))
        #expect(pair.client.readText().text == "hello yourself")
        #expect(pair.server.readText().step == .wantsRead)
    }

    @Test func `a small buffer leaves the rest for the next read`() {
        #expect(pair.connect())
        #expect(pair.client.write("hello") == .done(5))
        var buffer: [UInt8] = [0, 0]
        #expect(buffer.withUnsafeMutableBytes { pair.server.read(into: $0) } == .done(2))
        #expect(pair.server.hasBufferedInput == true)
        #expect(pair.server.readText().text == "llo")
        #expect(pair.server.hasBufferedInput == false)
    }

    @Test func `a megabyte goes through a full socket`() throws {
        #expect(pair.connect())
        let sent = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var received: [UInt8] = []
        var offset = 0
        var waits = 0
        var previous: [UInt8] = []
        while received.count < sent.count {
            // A copy made while the last one lives, so that a record that had to wait is offered
            // again from another address.
            let rest = Array(sent[offset...])
            withExtendedLifetime(previous) { previous = rest }
            let step = offset < sent.count ? rest.withUnsafeBytes { pair.server.write($0) } : nil
            if case .done(let count) = step {
                offset += count
                continue
            }
            try #require(step == nil || step == .wantsWrite)
            waits += step == .wantsWrite ? 1 : 0
            let arrived = drainClient()
            try #require(!arrived.isEmpty)
            received += arrived
        }
        #expect(received == sent)
        #expect(waits > 0)
    }

    /// Everything that the client can read at once.
    private func drainClient() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 40_000)
        while case .done(let count) = buffer.withUnsafeMutableBytes({ pair.client.read(into: $0) })
        {
            bytes += buffer[..<count]
        }
        return bytes
    }

    @Test func `empty buffers are no operation`() {
        #expect(pair.connect())
        #expect(pair.server.write(UnsafeRawBufferPointer(start: nil, count: 0)) == .done(0))
        #expect(
            pair.server.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) == .done(0))
    }

    @Test func `close notify is a proper end`() {
        #expect(pair.connect())
        #expect(pair.client.write("all") == .done(3))
        #expect(pair.client.shutdown() == .done(0))
        pair.closeClient()
        #expect(pair.server.readText().text == "all")
        #expect(pair.server.readText().step == .closed)
        #expect(pair.server.readText().step == .closed)
    }

    @Test func `both sides can end properly`() {
        #expect(pair.connect())
        #expect(pair.client.shutdown() == .done(0))
        #expect(pair.server.readText().step == .closed)
        #expect(pair.server.shutdown() == .closed)
    }

    @Test func `an end without close notify is an error`() {
        #expect(pair.connect())
        #expect(pair.client.write("some") == .done(4))
        // The ticket: closing a socket with unread bytes would reset it.
        #expect(pair.client.readText().step == .wantsRead)
        pair.closeClient()
        #expect(pair.server.readText().text == "some")
        #expect(pair.server.readText().step == .failed(.unexpectedEOF))
        #expect(pair.server.readText().step == .failed(.unexpectedEOF))
        #expect(pair.server.write("x") == .failed(.unexpectedEOF))
        #expect(pair.server.shutdown() == .done(0))
    }

    @Test func `a broken transport is an error`() {
        #expect(pair.connect())
        pair.closeClient()
        #expect(pair.server.write("x") == .failed(.connectionLost(errno: EPIPE)))
    }

    @Test func `a forged record is refused`() {
        #expect(pair.connect())
        let record: [UInt8] = [23, 3, 3, 0, 32] + [UInt8](repeating: 7, count: 32)
        _ = record.withUnsafeBytes { Glibc.write(pair.clientDescriptor, $0.baseAddress, $0.count) }
        #expect(
            pair.server.readText().step
                == .failed(.record("decryption failed or bad record mac")))
        #expect(pair.client.readText().step.error?.reason == "tls_record")
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST /ipn/antom HTTP/1.1\r\n"])
    func `plain HTTP is told apart`(request: String) {
        let step = serve(Array(request.utf8))
        #expect(step == .failed(.plainHTTP))
        #expect(step.error?.reason == "tls_plain_http")
    }

    @Test func `garbage fails the handshake`() {
        let step = serve(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
        #expect(step.error?.reason == "tls_handshake")
    }

    @Test func `a peer that leaves during the handshake is an EOF`() {
        #expect(serve([], thenClose: true) == .failed(.unexpectedEOF))
        #expect(serve([22, 3, 1, 0], thenClose: true).error?.reason == "tls_eof")
        #expect(serve([]) == .wantsRead)
    }

    /// Otherwise one connection's failure would be reported for another on the same thread.
    @Test func `a failure elsewhere on the thread is not taken`() {
        #expect(pair.connect())
        #expect(serve(Array("GET / HTTP/1.1\r\n".utf8)) == .failed(.plainHTTP))
        #expect(ERR_peek_error() == 0)
        // A caller that does not clear the error queue after a failure.
        #expect(SSL_CTX_load_verify_file(context.hosts.first.pointer, "/nowhere") == 0)
        #expect(ERR_peek_error() != 0)
        #expect(pair.server.readText().step == .wantsRead)
    }

    @Test func `shutdown before the handshake is harmless`() {
        #expect(pair.server.shutdown() == .done(0))
        #expect(pair.connect())
    }

    @Test func `one context serves many threads`() async throws {
        let context = context
        let client = try TLSClient(trust: .anyone)
        let connected = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<5).allSatisfy { _ in TLSPair(context, client).connect() } }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(connected)
    }
}
