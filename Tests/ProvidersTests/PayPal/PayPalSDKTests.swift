import Bytes
import Cryptography
import Foundation
import JSON
import Payments
import ProviderFixtures
import TestSupport
import Testing

@testable import Providers

/// PayPal's own library for Python verifies what `ipnd send` signs, and ipnd takes what is signed
/// by its text.
@Suite struct PayPalSDKTests {
    /// The Python that has the library, which scripts/test installs.
    private static let python: String? = {
        let program = SourceTree.url(".build/python/bin/python3").path
        let tried = try? run(program, ["-c", "import paypalrestsdk, OpenSSL.crypto"])
        return tried?.status == 0 ? program : nil
    }()

    /// With a certificate in place of the fetched one and of the authorities; nothing else of the
    /// library is replaced.
    private static let script = """
        import base64, json, sys
        from OpenSSL import crypto
        from paypalrestsdk.notifications import WebhookEvent
        work = json.load(sys.stdin)
        cert = crypto.load_certificate(crypto.FILETYPE_PEM, work["certificate"])
        key = crypto.load_privatekey(crypto.FILETYPE_PEM, work["key"])
        store = crypto.X509Store()
        store.add_cert(cert)
        WebhookEvent._get_certificate_store = classmethod(lambda cls: store)
        WebhookEvent._get_cert = staticmethod(lambda url: cert)
        out = {"verified": [], "signed": []}
        for r in work["requests"]:
            out["verified"].append(WebhookEvent.verify(
                r["id"], r["time"], work["webhook"], r["body"], r["url"], r["signature"],
                "SHA256withRSA"))
            text = WebhookEvent._get_expected_sig(r["id"], r["time"], work["webhook"], r["body"])
            out["signed"].append(
                base64.b64encode(crypto.sign(key, text.encode(), "sha256")).decode())
        print(json.dumps(out))
        """

    @Test(.enabled(if: python != nil, "scripts/test installs paypalrestsdk, if PyPI is there"))
    func `the library and ipnd agree`() throws {
        let fixture = ProviderFixture.paypal
        let settings = fixture.endpoint.settings
        let sender = try PayPalSender(settings: settings)
        let provider = try PayPal(settings: settings)
        let genuine = EventType.allCases.compactMap {
            try? sender.sign(.sample($0, reference: "Größe € 1"), path: "/ipn").delivery
        }
        let damaged = genuine.map { delivery in
            var changed = delivery
            changed.bodyText += " "
            return changed
        }
        var json = JSONWriter(reserving: 1 << 16)
        json.object { json in
            json.member("certificate", settings[PayPal.caFile] ?? "")
            json.member("key", settings[SettingRow.senderKey] ?? "")
            json.member("webhook", settings[PayPal.webhookIDs]?.first ?? "")
            json.array("requests", genuine + damaged) {
                $0.member("id", $1.value("paypal-transmission-id") ?? "")
                $0.member("time", $1.value("paypal-transmission-time") ?? "")
                $0.member("signature", $1.value("paypal-transmission-sig") ?? "")
                $0.member("url", $1.value("paypal-cert-url") ?? "")
                $0.member("body", $1.bodyText)
            }
        }
        let python = try #require(Self.python)
        let finished = try run(
            python, ["-c", Self.script], input: String(decoding: json.bytes, as: UTF8.self))
        try #require(finished.status == 0, "\(finished.errors)")
        // The library prints the reason of a refusal, too.
        let line = try #require(finished.output.split(separator: "\n").last)
        let answer = try JSONDocument(parsing: Array(line.utf8)).root
        let verified = try #require(answer["verified"]).elements.map { $0.bool }
        #expect(verified == genuine.map { _ in true } + damaged.map { _ in false })
        let signed = try #require(answer["signed"]).elements.compactMap { $0.string }
        try #require(signed.count == genuine.count * 2)
        for (delivery, signature) in zip(genuine + damaged, signed) {
            let resigned = delivery.with(header: "paypal-transmission-sig", signature)
            #expect(provider.refusal(resigned) == nil)
        }
    }
}
