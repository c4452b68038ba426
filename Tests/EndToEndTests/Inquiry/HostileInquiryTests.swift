import Foundation
import TestSupport
import Testing

/// Impostors and misbehaving providers: each inquiry fails with its reason, and no answer is
/// recorded.
@Suite(.ownThreads) struct HostileInquiryTests {
    private func instance(_ url: String, _ more: String = "timeoutSeconds: 60") throws -> Instance {
        try Instance(edit: { text in
            text.replacingOccurrences(
                of: "provider: citcon-pay\n",
                with:
                    "provider: citcon-pay\n    inquiry: {url: \"\(url)\", schedule: [], \(more)}\n")
        })
    }

    private func ask(_ instance: Instance) throws -> (verdict: String, reason: String) {
        let answer = try instance.admin().post("/orders/citcon-pay/R-1/inquire", "")
        let report = try answer.object()
        #expect((report["recorded"] as? [Any])?.isEmpty == true && report["facts"] as? Int == 0)
        return (report["verdict"] as? String ?? "", report["reason"] as? String ?? answer.body)
    }

    /// A wrong name, an expired certificate, an unknown issuer.
    @Test func `a certificate that is not the provider's is refused`() throws {
        let (own, foreign) = (try TestCertificate(), try TestCertificate(name: "shop.example"))
        let (expired, strange) = (try TestCertificate(), try TestCertificate())
        try expired.expire()
        let cases: [(TestCertificate, host: String, trusted: String, reason: String?)] = [
            (own, "localhost", own.certificate, nil),
            (foreign, "localhost", foreign.certificate, "tls_unverified"),
            (expired, "localhost", expired.certificate, "tls_unverified"),
            (strange, "localhost", own.certificate, "tls_unverified"),
        ]
        for (served, host, trusted, reason) in cases {
            let server = try EchoTarget([
                "--certificate", served.certificate, "--key", served.key,
            ])
            let instance = try instance(
                "https://\(host):\(server.port)", "caFile: \(trusted), timeoutSeconds: 60")
            let came = try ask(instance)
            #expect(came.verdict == "retry")
            if let reason {
                #expect(came.reason == reason)
            } else {
                // The control case: the server was asked, but its response is not a valid answer.
                #expect(!came.reason.hasPrefix("tls"))
            }
            // The inquiry itself is recorded as an action.
            let kinds = try instance.records().map { ($0["event"] as? [String: Any])?["kind"] }
            #expect(kinds.allSatisfy { $0 as? String == "action" }, "\(kinds)")
        }
        // With the system's certificate authorities, without `caFile`.
        let server = try EchoTarget(["--certificate", own.certificate, "--key", own.key])
        #expect(try ask(instance("https://localhost:\(server.port)")).reason == "tls_unverified")
    }

    /// A server's behaviour after the request, and the expected reason of the inquiry.
    private struct Way: Sendable {
        let name: String
        let verdict: String
        let reason: String
        let play: @Sendable (Peer) -> Void
    }

    private static let ways = [
        Way(name: "100 MB announced", verdict: "retry", reason: "answer_too_long") { peer in
            peer.write("HTTP/1.1 200 X\r\nContent-Length: 104857600\r\n\r\n")
            let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            while peer.write(chunk) {}
        },
        Way(name: "endless", verdict: "retry", reason: "answer_too_long") { peer in
            peer.write("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n")
            while peer.write("1000\r\n" + String(repeating: "x", count: 4096) + "\r\n") {}
        },
        Way(name: "slow drip", verdict: "retry", reason: "timeout") { peer in
            peer.write("HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n")
            while peer.write("x") { poll(nil, 0, 20) }
        },
        Way(name: "silent", verdict: "retry", reason: "timeout") { $0.awaitEnd() },
        Way(name: "cut", verdict: "retry", reason: "reset") { peer in
            peer.write("HTTP/1.1 200 X\r\nContent-Length: 10\r\n\r\nhalf")
        },
        Way(name: "redirect", verdict: "retry", reason: "status_302") { peer in
            peer.write(LocalServer.answer(302, "Location: http://127.0.0.1:1/\r\n"))
        },
        Way(name: "HTML with 200", verdict: "retry", reason: "") { peer in
            peer.write(
                LocalServer.answer(
                    200, "Content-Type: text/html\r\n", body: "<html>\"status\":\"success\"</html>")
            )
        },
    ]

    @Test func `what is no answer is a failed inquiry with its reason`() throws {
        for way in Self.ways {
            let server = try LocalServer { peer in
                if peer.readRequest() != nil { way.play(peer) }
            }
            // Only the cases that must time out have a short timeout.
            let instance = try instance(
                "http://127.0.0.1:\(server.port)",
                "timeoutSeconds: \(way.reason == "timeout" ? 2 : 60)")
            let came = try ask(instance)
            #expect(came.verdict == way.verdict, "\(way.name): \(came)")
            if way.reason.isEmpty {
                #expect(!came.reason.isEmpty && came.reason != "answered", "\(way.name)")
            } else {
                #expect(came.reason == way.reason, "\(way.name)")
            }
            #expect(server.connections == 1, "\(way.name): asked once, nowhere else")
            // The inquiry itself is recorded as an action.
            let kinds = try instance.records().map { ($0["event"] as? [String: Any])?["kind"] }
            #expect(kinds.allSatisfy { $0 as? String == "action" }, "\(kinds)")
        }
    }
}

extension TestCertificate {
    /// Replaces the certificate and key by a pair that was valid only in 2020.
    func expire() throws {
        let openssl = try #require(installedProgram("openssl"))
        let folder = folder
        for (name, text) in [
            ("ca.conf", Self.authority(folder)), ("index", ""), ("serial", "01\n"),
        ] {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        let request = try run(
            openssl,
            ["req", "-new", "-key", key, "-subj", "/CN=localhost", "-out", "\(folder)/csr"])
        try #require(request.status == 0, "\(request.errors)")
        let signed = try run(
            openssl,
            ["ca", "-batch", "-selfsign", "-notext", "-config", "\(folder)/ca.conf"]
                + ["-keyfile", key, "-in", "\(folder)/csr", "-out", certificate]
                + ["-startdate", "20200101000000Z", "-enddate", "20210101000000Z"])
        try #require(signed.status == 0, "\(signed.errors)")
    }

    private static func authority(_ folder: String) -> String {
        """
        [ca]
        default_ca = own
        [own]
        database = \(folder)/index
        serial = \(folder)/serial
        new_certs_dir = \(folder)
        default_md = sha256
        policy = any
        x509_extensions = names
        [any]
        commonName = supplied
        [names]
        subjectAltName = DNS:localhost,IP:127.0.0.1
        basicConstraints = CA:TRUE

        """
    }
}
