import Bytes
import Cryptography
import Foundation
import JSON
import Payments
import ProviderFixtures
import TestSupport
import Testing

@testable import Providers

/// The library `wechatpayv3` for Python takes `ipnd send`'s notifications, and ipnd those signed
/// with its functions.
@Suite struct WeChatPaySDKTests {
    /// The Python that has the library, which scripts/test installs.
    private static let python: String? = {
        let program = SourceTree.url(".build/python/bin/python3").path
        let tried = try? run(program, ["-c", "import wechatpayv3"])
        return tried?.status == 0 ? program : nil
    }()

    private static let script = """
        import json, sys
        from wechatpayv3 import WeChatPay, WeChatPayType
        from wechatpayv3.utils import build_authorization, load_private_key, rsa_sign
        work = json.load(sys.stdin)
        merchant = WeChatPay(
            wechatpay_type=WeChatPayType.NATIVE, mchid="1900000109", appid="wx1",
            private_key=work["merchantKey"], cert_serial_no="5157F09EFDC096DE",
            apiv3_key=work["apiV3Key"], public_key=work["publicKey"],
            public_key_id=work["serial"])
        key = load_private_key(work["key"])
        out = {"taken": [], "signed": []}
        for r in work["requests"]:
            result = merchant.callback(r["headers"], r["body"])
            out["taken"].append(None if result is None else json.dumps(result["resource"]))
            text = "%s\\n%s\\n%s\\n" % (
                r["headers"]["Wechatpay-Timestamp"], r["headers"]["Wechatpay-Nonce"], r["body"])
            out["signed"].append(rsa_sign(key, text))
        out["authorization"] = build_authorization(
            work["path"], "GET", "1900000109", "5157F09EFDC096DE",
            load_private_key(work["merchantKey"]))
        print(json.dumps(out))
        """

    @Test(.enabled(if: python != nil, "scripts/test installs wechatpayv3, if PyPI is there"))
    func `the library and ipnd agree`() throws {
        let settings = ProviderFixture.wechatPay.endpoint.settings
        let sender = try WeChatPaySender(settings: settings)
        let provider = try WeChatPay(settings: settings)
        let genuine = [EventType.paid, .refunded, .refundPending, .refundFailed].compactMap {
            try? sender.sign(.sample($0, reference: "Größe € 1"), path: "/ipn").delivery
        }
        let damaged = genuine.map { delivery in
            var changed = delivery
            changed.bodyText += " "
            return changed
        }
        let path = "/v3/pay/transactions/out-trade-no/R-1?mchid=1900000109"
        let names = ["Timestamp", "Nonce", "Serial", "Signature-Type", "Signature"]
        var json = JSONWriter(reserving: 1 << 16)
        json.object { json in
            json.member("merchantKey", settings[WeChatPay.privateKey] ?? "")
            json.member("apiV3Key", String(decoding: settings.secrets[0], as: UTF8.self))
            json.member("publicKey", settings.keys[0].text)
            json.member("serial", settings.keys[0].serial)
            json.member("key", settings[SettingRow.senderKey] ?? "")
            json.member("path", path)
            json.array("requests", genuine + damaged) { json, delivery in
                json.object("headers") {
                    for name in names {
                        $0.member(
                            "Wechatpay-\(name)",
                            delivery.value("wechatpay-\(name.lowercased())") ?? "")
                    }
                }
                json.member("body", delivery.bodyText)
            }
        }
        let python = try #require(Self.python)
        let finished = try run(
            python, ["-c", Self.script], input: String(decoding: json.bytes, as: UTF8.self))
        try #require(finished.status == 0, "\(finished.errors)")
        let answer = try JSONDocument(parsing: Array(finished.output.utf8)).root
        let taken = try #require(answer["taken"]).elements.map(\.string)
        #expect(taken.map { $0 != nil } == genuine.map { _ in true } + damaged.map { _ in false })
        #expect(taken.compactMap(\.self).allSatisfy { $0.contains(#""out_trade_no""#) })
        let signed = try #require(answer["signed"]).elements.compactMap(\.string)
        try #require(signed.count == genuine.count * 2)
        for (delivery, signature) in zip(genuine + damaged, signed) {
            let resigned = delivery.with(header: "wechatpay-signature", signature)
            #expect(provider.refusal(resigned) == nil)
        }
        // The library's questions are the merchant's.
        let question = InquiryRequest(
            method: "GET", target: path,
            headers: [Header("authorization", try #require(answer["authorization"]?.string))])
        let now = Timestamp(microseconds: 1_790_000_000_000_000)
        let answered = try WeChatPayResponder(settings: settings).answer(
            question, at: ResponderMoment(now: now)
        ) { _, _ in nil }
        #expect(answered.status == 404)
    }
}
