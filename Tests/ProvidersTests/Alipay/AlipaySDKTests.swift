import Bytes
import Cryptography
import Foundation
import JSON
import Payments
import ProviderFixtures
import TestSupport
import Testing

@testable import Providers

/// Alipay's own library for Python verifies `ipnd send`'s notifications and the answers of our
/// responder; ipnd accepts what is signed with its functions, and our responder its questions.
@Suite struct AlipaySDKTests {
    /// The Python that has the library, which scripts/test installs.
    private static let python: String? = {
        let program = SourceTree.url(".build/python/bin/python3").path
        let tried = try? run(program, ["-c", "import alipay.aop.api"])
        return tried?.status == 0 ? program : nil
    }()

    private static let script = """
        import base64, json, sys
        from urllib.parse import parse_qsl, urlencode
        from alipay.aop.api.AlipayClientConfig import AlipayClientConfig
        from alipay.aop.api.DefaultAlipayClient import DefaultAlipayClient, THREAD_LOCAL
        from alipay.aop.api.domain.AlipayTradeQueryModel import AlipayTradeQueryModel
        from alipay.aop.api.request.AlipayTradeQueryRequest import AlipayTradeQueryRequest
        from alipay.aop.api.util.SignatureUtils import (
            get_sign_content, sign_with_rsa2, verify_with_rsa)
        work = json.load(sys.stdin)
        def pkcs1(pem):
            # The library reads PKCS#1, which is the end of a PKCS#8 key of 2,048 bits.
            lines = [l for l in pem.splitlines() if "-----" not in l]
            return base64.b64encode(base64.b64decode("".join(lines))[26:]).decode()
        def verified(text, sign):
            try:
                return verify_with_rsa(work["publicKey"], text.encode(), sign)
            except Exception:
                return False
        config = AlipayClientConfig()
        config.app_id = work["appID"]
        config.app_private_key = pkcs1(work["appKey"])
        config.alipay_public_key = work["publicKey"]
        client = DefaultAlipayClient(alipay_client_config=config)
        out = {"verified": [], "signed": [], "answers": []}
        for body in work["requests"]:
            fields = dict(parse_qsl(body, keep_blank_values=True))
            sign = fields.pop("sign")
            kind = fields.pop("sign_type")
            text = get_sign_content(fields)
            out["verified"].append(verified(text, sign))
            sign = sign_with_rsa2(pkcs1(work["key"]), text, "utf-8")
            out["signed"].append(urlencode({**fields, "sign_type": kind, "sign": sign}))
        # As its execute does.
        THREAD_LOCAL.uuid, THREAD_LOCAL.logger = "1", None
        for answer in work["answers"]:
            try:
                client._DefaultAlipayClient__parse_response(answer.encode())
                out["answers"].append(True)
            except Exception:
                out["answers"].append(False)
        model = AlipayTradeQueryModel()
        model.out_trade_no = "R-1"
        query, form = client._DefaultAlipayClient__prepare_request(
            AlipayTradeQueryRequest(biz_model=model))
        out["query"], out["form"] = query, urlencode(form)
        print(json.dumps(out))
        """

    private func answer(
        _ responder: AlipayResponder, query: String, form: String, _ life: SampleLife?
    ) -> InquiryAnswer {
        let request = InquiryRequest(
            method: "POST", target: "/gateway.do?\(query)", headers: [], body: Array(form.utf8))
        let now = Timestamp(microseconds: 1_790_000_000_000_000)
        return responder.answer(request, at: ResponderMoment(now: now)) { _, _ in life }
    }

    @Test(.enabled(if: python != nil, "scripts/test installs the library, if PyPI is there"))
    func `the library and ipnd agree`() throws {
        let settings = ProviderFixture.alipay.endpoint.settings
        let sender = try AlipaySender(settings: settings)
        let provider = try Alipay(settings: settings)
        let responder = try AlipayResponder(settings: settings)
        let life = SampleLife(reference: "R-1", events: [.sample(.paid, reference: "R-1")])
        let genuine = [EventType.pending, .paid, .refunded, .expired, .ignored].compactMap {
            try? sender.sign(.sample($0, reference: "Größe € 1"), path: "/ipn").delivery.bodyText
        }
        let damaged = genuine.map { $0.replacing("version=1.0", with: "version=1.1") }
        let inquirer = try AlipayInquirer(settings: settings)
        let conversation = InquiryConversation(InquiryQuestion(by: .reference, "R-1"))
        guard
            case .ask(let request) = try inquirer.next(
                conversation, now: Timestamp(microseconds: 0))
        else { return }
        let answered = responder.answer(
            request, at: ResponderMoment(now: Timestamp(microseconds: 0))
        ) { _, _ in life }
        let text = String(decoding: answered.body, as: UTF8.self)
        var json = JSONWriter(reserving: 1 << 16)
        json.object { json in
            json.member("appID", settings[Alipay.appID] ?? "")
            json.member("appKey", settings[Alipay.privateKey] ?? "")
            json.member("publicKey", settings.keys[0].text)
            json.member("key", settings[SettingRow.senderKey] ?? "")
            let answers = [text, text.replacing("42.00", with: "43.00")]
            for (name, texts) in [("requests", genuine + damaged), ("answers", answers)] {
                json.key(name)
                json.beginArray()
                for text in texts { json.string(text) }
                json.endArray()
            }
        }
        let python = try #require(Self.python)
        let finished = try run(
            python, ["-c", Self.script], input: String(decoding: json.bytes, as: UTF8.self))
        try #require(finished.status == 0, "\(finished.errors)")
        let result = try JSONDocument(parsing: Array(finished.output.utf8)).root
        func booleans(_ name: StaticString) -> [Bool?] {
            result[name]?.elements.map(\.bool) ?? []
        }
        #expect(booleans("verified") == genuine.map { _ in true } + damaged.map { _ in false })
        #expect(booleans("answers") == [true, false])
        let signed = try #require(result["signed"]).elements.compactMap(\.string)
        #expect(signed.count == genuine.count * 2)
        for body in signed {
            let delivery = SignedRequest(
                path: [], headers: [], body: Array(body.utf8),
                received: Timestamp(microseconds: 0))
            #expect(provider.refusal(delivery) == nil)
        }
        let query = try #require(result["query"]?.string)
        let form = try #require(result["form"]?.string)
        let theirs = answer(responder, query: query, form: form, life)
        #expect(theirs.body == answered.body)
        // A question that the app's key has not signed is not answered.
        let other = answer(
            responder, query: query, form: form.replacing("R-1", with: "R-2"), life)
        #expect(String(decoding: other.body, as: UTF8.self).contains("isv.invalid-signature"))
    }
}
