import Bytes
import Cryptography
import Payments
import Testing

@testable import Providers

/// What verifies and what does not.
@Suite struct AdyenTests {
    private func refusal(_ body: String) throws -> String? {
        try AdyenFixture.provider().refusal(SignedRequest(body: body))?.reason
    }

    @Test func `any of several keys verifies, in either case and with a newline behind it`() throws
    {
        let provider = try AdyenFixture.provider(
            keys: [AdyenFixture.otherKey, AdyenFixture.key.uppercased() + "\n"])
        var fixture = AdyenFixture()
        #expect(try provider.verify(fixture.delivery).key == "2")
        fixture.key = AdyenFixture.otherKey
        #expect(try provider.verify(fixture.delivery).key == "1")
    }

    @Test(arguments: [
        "", "00", String(repeating: "0", count: 63), String(repeating: "g", count: 64),
    ])
    func `a key in another form is refused by its place`(_ key: String) {
        let error = #expect(throws: SettingsError.self) {
            try AdyenFixture.provider(keys: [AdyenFixture.key, key])
        }
        #expect(error?.key == "hmacKeys[1]")
    }

    @Test func `without a merchant account nothing is pinned, so it is needed`() {
        let error = #expect(throws: SettingsError.self) {
            try Adyen(
                settings: EndpointSettings(
                    name: "a", ["hmacKeys": .secrets([Array(AdyenFixture.key.utf8)])]))
        }
        #expect(error?.key == "merchantAccount")
    }

    /// Each has the signature of a text that could be cut elsewhere.
    @Test func `a colon where no genuine field has one is refused`() throws {
        for field in [\AdyenFixture.psp, \.original, \.currency, \.event, \.success] {
            var fixture = AdyenFixture()
            fixture[keyPath: field] = "A:B"
            #expect(try refusal(fixture.body) == "signed_value_ambiguous", "\(field)")
        }
    }

    @Test func `a colon moved between account and reference is refused`() throws {
        var fixture = AdyenFixture()
        fixture.account = "ShopECOM:B"
        #expect(try refusal(fixture.body) == "merchant_account_mismatch")
        fixture.account = "ShopECOM"
        fixture.reference = "B:ORD-1"
        #expect(try fixture.read().reference == "B:ORD-1")
    }

    @Test func `a report's name may have colons and moves no money`() throws {
        var fixture = AdyenFixture("REPORT_AVAILABLE")
        fixture.psp = "report_2026-09-20T00:00:00.csv"
        let read = try fixture.read()
        #expect(read.effect == .none && read.flags.isEmpty)
        #expect(read.id == "ShopECOM:report_2026-09-20T00%3A00%3A00.csv:REPORT_AVAILABLE:true")
    }

    /// A parser that takes the last of two members would read another text than the signed one.
    @Test(arguments: [
        ("\"success\":\"true\"", "\"success\":\"false\",\"success\":\"true\""),
        ("\"success\":\"true\"", "\"success\":\"true\",\"succes\\u0073\":\"false\""),
        ("\"value\":4200", "\"value\":4200,\"value\":1"),
        (
            "\"NotificationRequestItem\":",
            "\"NotificationRequestItem\":{},\"NotificationRequestItem\":"
        ),
    ])
    func `a member that is there twice is refused`(_ old: String, _ new: String) throws {
        let body = AdyenFixture().body
        #expect(body.contains(old))
        #expect(try refusal(body.replacing(old, with: new)) == "json_duplicate_key")
    }

    @Test(arguments: [
        ("4200", "4200.0", "body_malformed"), ("4200", "42e2", "body_malformed"),
        ("4200", "\"4200\"", "body_malformed"), ("4200", "null", "body_malformed"),
        ("\"true\",\"eventDate\"", "true,\"eventDate\"", "body_malformed"),
        ("\"ORD-1\"", "1", "body_malformed"), ("\"EUR\"", "[]", "body_malformed"),
        ("\"NotificationRequestItem\"", "\"Item\"", "body_malformed"),
        ("notificationItems", "items", "body_malformed"),
        ("\"hmacSignature\"", "\"signature\"", "signature_missing"),
        ("additionalData", "data", "signature_missing"),
        ("\"hmacSignature\":\"", "\"hmacSignature\":\"=", "signature_encoding"),
    ])
    func `what cannot be verified is refused`(
        _ old: String, _ new: String, _ reason: String
    ) throws {
        let body = AdyenFixture().body
        #expect(body.contains(old))
        #expect(try refusal(body.replacing(old, with: new)) == reason)
    }

    @Test func `one item that does not verify refuses all`() throws {
        var second = AdyenFixture("CAPTURE", original: "PSP0000000000001")
        second.psp = "PSP0000000000002"
        let provider = try AdyenFixture.provider()
        let both = SignedRequest(body: AdyenFixture.body([AdyenFixture(), second]))
        let read = provider.notifications(in: try provider.verify(both).evidence)
        #expect(read.map(\.kind) == ["payment", "capture"])
        second.key = AdyenFixture.otherKey
        #expect(try refusal(AdyenFixture.body([AdyenFixture(), second])) == "signature_mismatch")
        second.key = AdyenFixture.key
        second.account = "Other"
        #expect(
            try refusal(AdyenFixture.body([second, AdyenFixture()])) == "merchant_account_mismatch")
    }

    /// Many keys and many items that were once genuine: the work is that of a few bodies.
    @Test func `repeated items cost what their size allows`() throws {
        let body = AdyenFixture.body(Array(repeating: AdyenFixture(), count: 400))
        var work = VerificationWork(receivedBytes: body.utf8.count)
        let provider = try AdyenFixture.provider()
        _ = try provider.verify(SignedRequest(body: body), work: &work)
        #expect(work.bytes <= 8 * body.utf8.count)
        let many = try AdyenFixture.provider(
            keys: Array(repeating: AdyenFixture.otherKey, count: 40) + [AdyenFixture.key])
        #expect(
            many.refusal(SignedRequest(body: body))?.reason == "verification_too_costly")
    }

    private func newer(_ body: String, signed: String? = nil) throws -> SignedRequest {
        let key = try #require(Hex.decode(AdyenFixture.key))
        let code = HMAC.code(.sha256, key: key, message: Array((signed ?? body).utf8))
        return SignedRequest(
            headers: [("HmacSignature", Base64.encode(code)), ("Protocol", "HmacSHA256")],
            body: body)
    }

    @Test func `a newer type is signed in a header, and about no order`() throws {
        let provider = try AdyenFixture.provider()
        let body = #"{"type":"balancePlatform.transfer.created","environment":"live","data":{}}"#
        let read = try provider.receive(newer(body))
        #expect(read.effect == .none && read.status == "balancePlatform.transfer.created")
        #expect(read.id == EventIdentity.digest(of: Array(body.utf8)))
        #expect(try provider.refusal(newer(body, signed: body + " ")) == .signatureMismatch)
        #expect(try provider.refusal(newer("ORD-1:x"))?.kind == .malformed)
    }

    /// A header does not stand for the signatures of the items, nor hide them.
    @Test func `items count beside a header, too`() throws {
        let provider = try AdyenFixture.provider()
        let fixture = AdyenFixture()
        #expect(try provider.receive(newer(fixture.body)) == fixture.read())
        let unsigned = fixture.body.replacing("hmacSignature", with: "signature")
        #expect(try provider.refusal(newer(unsigned))?.reason == "signature_missing")
    }

    @Test func `the answer is the word that older accounts ask for`() throws {
        let provider = try AdyenFixture.provider()
        let accepted = provider.answer(.accepted)
        #expect(accepted.status == 200 && accepted.body == Array("[accepted]".utf8))
        #expect(provider.answer(.refused(.signatureMismatch)).status == 401)
        #expect(provider.answer(.refused(.malformed("x", ""))).status == 400)
        #expect(provider.answer(.unavailable).status == 503)
    }
}
