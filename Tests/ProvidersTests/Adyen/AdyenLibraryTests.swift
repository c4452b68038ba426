import Foundation
import Payments
import TestSupport
import Testing

@testable import Providers

/// Adyen's own Python library as the judge: it verifies what the sender signs, and signs what the
/// provider has to accept.
@Suite struct AdyenLibraryTests {
    /// The Python that has the library, which scripts/test installs.
    private static let python: String? = {
        let program = SourceTree.url(".build/python/bin/python3").path
        let tried = try? run(program, ["-c", "from Adyen import util"])
        return tried?.status == 0 ? program : nil
    }()

    private static let key = AdyenFixture.key

    /// The lines that `code` prints for `bodies`, one JSON text in each line of its input.
    private func judge(_ code: String, _ bodies: [String]) throws -> [String] {
        let text =
            "import json, sys\nfrom Adyen import util\nkey = '\(Self.key)'\n"
            + "for line in sys.stdin:\n    body = json.loads(line)\n    \(code)\n"
        let done = try run(
            #require(Self.python), ["-c", text], input: bodies.map { $0 + "\n" }.joined())
        try #require(done.status == 0, "\(done.errors)")
        return done.lines
    }

    @Test(.enabled(if: python != nil, "scripts/test installs Adyen, if PyPI is there"))
    func `the library verifies what is sent`() throws {
        for capture in EndpointSettings.Capture.allCases {
            let sender = try AdyenSender(
                settings: EndpointSettings(
                    name: "a",
                    [
                        "hmacKeys": .secrets([Array(Self.key.utf8)]), "merchantAccount": "ShopECOM",
                        "capture": capture.settingValue,
                    ]))
            let bodies = try EventType.allCases.compactMap { type -> String? in
                do throws(SenderError) {
                    let event = SampleEvent.sample(type, reference: "ÖRD:\\1/\"")
                    return String(
                        decoding: try sender.sign(event, path: "/").body, as: UTF8.self)
                } catch {
                    guard case .unsupported = error else { throw error }
                    return nil
                }
            }
            #expect(bodies.count > 10)
            let verdicts = try judge("print(util.is_valid_hmac_notification(body, key))", bodies)
            #expect(verdicts == bodies.map { _ in "True" })
        }
    }

    @Test(.enabled(if: python != nil, "scripts/test installs Adyen, if PyPI is there"))
    func `what the library signs is accepted`() throws {
        let items = ["AUTHORISATION", "CAPTURE", "REFUND", "CHARGEBACK"].map { code in
            """
            {"pspReference": "PSP0000000000001", "originalReference": "PAY0000000000001", \
            "merchantAccountCode": "ShopECOM", "merchantReference": "\\u00d6:1\\\\:/ \\"", \
            "amount": {"value": 4200, "currency": "EUR"}, "eventCode": "\(code)", \
            "success": "true"}
            """
        }
        let signed = try judge(
            "body['additionalData'] = {'hmacSignature': "
                + "util.generate_notification_sig(body, key).decode()}; "
                + "print(json.dumps({'live': 'true', "
                + "'notificationItems': [{'NotificationRequestItem': body}]}))", items)
        try #require(signed.count == items.count)
        let provider = try AdyenFixture.provider()
        for body in signed {
            let read = try provider.receive(SignedRequest(body: body))
            #expect(read.reference ?? read.alias == "Ö:1\\:/ \"" && read.effect != .none)
        }
        let payloads = [#"{"type": "merchant.updated"}"#]
        let signatures = try judge(
            "print(util.generate_payload_sig(line.rstrip().encode(), key).decode())", payloads)
        for (payload, signature) in zip(payloads, signatures) {
            let delivery = SignedRequest(headers: [("hmacsignature", signature)], body: payload)
            #expect(try provider.receive(delivery).effect == .none)
        }
    }
}
