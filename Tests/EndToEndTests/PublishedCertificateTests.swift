import Bytes
import Cryptography
import Foundation
import TestSupport
import Testing

/// PayPal's notifications at a running server: by a certificate of a sandbox, and by one that
/// cannot be fetched.
@Suite(.ownThreads) struct PublishedCertificateTests {
    private struct Transmission {
        var id: String
        var body: String
        var host = "api.sandbox.paypal.com"
        var path = "/ipn/paypal"
    }

    private func answer(
        _ transmission: Transmission, signedBy key: RSAPrivateKey, at instance: Instance
    ) throws -> HTTPAnswer {
        let time = ISO8601DateFormatter().string(from: Date())
        let body = Array(transmission.body.utf8)
        let text = "\(transmission.id)|\(time)|0SANDBOX000000000|\(CRC32.checksum(body))"
        let signature = Base64.encode(try key.signSHA256(Array(text.utf8)))
        let url = "https://\(transmission.host)/v1/notifications/certs/CERT-1"
        let client = try instance.client()
        try client.send(
            """
            POST \(transmission.path) HTTP/1.1\r
            Host: pay.example\r
            Content-Length: \(body.count)\r
            PayPal-Auth-Algo: SHA256withRSA\r
            PayPal-Cert-URL: \(url)\r
            PayPal-Transmission-ID: \(transmission.id)\r
            PayPal-Transmission-Time: \(time)\r
            PayPal-Transmission-Sig: \(signature)\r
            \r
            \(transmission.body)
            """)
        return try client.receive()
    }

    @Test func `a transmission is taken with one body only, after a restart, too`() throws {
        let instance = try Instance()
        let key = try RSAPrivateKey(
            pem: String(contentsOfFile: "\(instance.folder)/sandbox/paypal.pem", encoding: .utf8))
        func status(_ id: String, _ body: String) throws -> Int {
            try answer(Transmission(id: id, body: body), signedBy: key, at: instance).status
        }
        #expect(try status("1", #"{"id":"WH-1","event_type":"X","resource":{}}"#) == 200)
        #expect(try status("1", #"{"id":"WH-2","event_type":"X","resource":{}}"#) == 401)
        #expect(try status("1", #"{"id":"WH-1","event_type":"X","resource":{}}"#) == 200)
        #expect(instance.says("transmission_reused"))
        #expect(instance.stop() == 0)
        try instance.start()
        #expect(try status("1", #"{"id":"WH-3","event_type":"X","resource":{}}"#) == 401)
        #expect(try status("1", #"{"id":"WH-1","event_type":"X","resource":{}}"#) == 200)
        #expect(try status("2", #"{"id":"WH-3","event_type":"X","resource":{}}"#) == 200)
        #expect(try instance.records().count == 2)
    }

    /// The proxy is a port on which nothing listens.
    @Test func `a certificate that cannot be had is answered 503, and a forged URL 401`() throws {
        let instance = try Instance(
            edit: {
                $0 + """
                      - name: live
                        path: /ipn/live
                        provider: paypal
                        webhookIDs: [0SANDBOX000000000]

                    """
            }, starts: false)
        instance.environment = ["HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": ""]
        try instance.start()
        let key = try RSAPrivateKey.generate()
        var transmission = Transmission(id: "1", body: "{}", host: "api.paypal.com")
        transmission.path = "/ipn/live"
        let answered = try answer(transmission, signedBy: key, at: instance)
        #expect(answered.status == 503 && answered.fields["retry-after"] == "60")
        #expect(instance.says("certificate_unavailable"))
        #expect(instance.says("certificate https://api.paypal.com/v1/notifications/certs/CERT-1:"))
        transmission.host = "paypal.example"
        #expect(try answer(transmission, signedBy: key, at: instance).status == 401)
        #expect(instance.says("certificate_url_refused"))
        #expect(!instance.logText.contains("certificate https://paypal.example"))
        #expect(try instance.records().isEmpty)
    }
}
