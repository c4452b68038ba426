import Foundation
import TLS
import TestSupport
import Testing

/// SIGHUP reloads renewed certificates and keeps open connections.
@Suite(.ownThreads) struct LifeCycleCertificateTests {
    @Test func `a renewed certificate is served to new connections`() throws {
        let pair = try TestCertificate()
        let instance = try Instance(edit: { text in
            text.replacingOccurrences(
                of: #"- address: "127.0.0.1:0""#,
                with: "- address: 127.0.0.1:0\n"
                    + "    tls: {certificate: \(pair.certificate), key: \(pair.key)}"
            )
        })
        let old = try TLSClient(trust: .file(pair.certificate))
        let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let open = try Wire(port: instance.port, tls: old)
        #expect(try open.answer(request).contains("404"))
        try pair.renew(name: "localhost")
        instance.process.signal(SIGHUP)
        #expect(eventually { instance.logText.contains("reloaded") }, "\(instance.logText)")
        #expect(try open.answer(request).contains("404"), "the open connection stays")
        #expect(throws: Wire.HandshakeFailed.self) { try Wire(port: instance.port, tls: old) }
        let fresh = try Wire(
            port: instance.port, tls: try TLSClient(trust: .file(pair.certificate)))
        #expect(try fresh.answer(request).contains("404"))
    }
}

extension Wire {
    /// Sends a request and returns the answer's bytes as text.
    fileprivate func answer(_ request: [UInt8]) throws -> String {
        _ = send(request[...])
        var received: [UInt8] = []
        _ = try eventually { try receive(into: &received) || isEnded }
        return String(decoding: received, as: UTF8.self)
    }
}
