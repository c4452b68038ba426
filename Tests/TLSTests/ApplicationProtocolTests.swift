import COpenSSL
import Testing

@testable import TLS

@Suite struct ApplicationProtocolTests {
    let context: TLSContext
    let client: TLSClient

    init() throws {
        let files = try Certificates.shared.get()
        context = try TLSContext(
            certificateFile: files.certificate("server"), keyFile: files.key("server"),
            additional: [(cert: files.certificate("other"), key: files.key("other"))])
        client = try TLSClient(trust: .anyone)
    }

    private func pair(_ offered: [String], host: String = "pay.example") -> TLSPair {
        TLSPair(context, client, host: host) { context in
            let list = offered.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            SSL_CTX_set_alpn_protos(context, list, UInt32(list.count))
        }
    }

    private func selected(_ pair: TLSPair) -> String {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(pair.client.ssl, &name, &count)
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    @Test(arguments: [
        ["http/1.1"], ["h2", "http/1.1"], ["http/1.1", "h2"], ["x", "y", "http/1.1"],
    ])
    func `picks HTTP/1.1 from any place`(offered: [String]) {
        let pair = pair(offered)
        #expect(pair.connect())
        #expect(selected(pair) == "http/1.1")
    }

    @Test func `serves a client that offers nothing`() {
        let pair = pair([])
        #expect(pair.connect())
        #expect(selected(pair) == "")
    }

    @Test(arguments: [["h2"], ["http/1.0"], ["HTTP/1.1"], ["http/1.1x"], ["xhttp/1.1", "h3"]])
    func `sends the alert when HTTP/1.1 is not offered`(offered: [String]) {
        for host in ["pay.example", "other.example"] {
            let ends = pair(offered, host: host).handshake()
            #expect(ends.server.error == .handshake("no application protocol"))
            #expect(ends.client.error == .handshake("tlsv1 alert no application protocol"))
        }
    }
}
