import Payments
import Testing

@testable import Providers

@Suite struct CitconUPITests {
    typealias Fixture = CitconUPIFixture
    typealias Field = CitconUPIFixture.Field

    private func refusal(_ body: String) -> Refusal? {
        Fixture.provider.refusal(SignedRequest(body: body))
    }

    @Test func `the official vector verifies`() throws {
        let vector = try VectorFile.load("citcon-upi")
        let text = try #require(vector["text"]?.string)
        let sign = try #require(vector["sign"]?.string)
        #expect(CitconUPI.sign(Array(text.utf8), secret: Fixture.secret) == Array(sign.utf8))
        let delivery = try SignedRequest(body: #require(vector["body"]?.string))
        let verified = try Fixture.provider.verify(delivery)
        #expect(verified.key == "2")
        #expect(verified.evidence.fields.signedText == Array(text.utf8))
        let notification = Fixture.provider.interpret(verified.evidence)
        #expect(notification.effect == .attempt(.authorized, .of(100, "USD")))
        #expect(notification.reference == "reference132")
        #expect(notification.occurred == Timestamp(iso8601: "2021-08-14T09:47:43Z"))
    }

    @Test func `one byte changed in any signed field is refused`() throws {
        let body = try #require(VectorFile.load("citcon-upi")["body"]?.string)
        for (old, new) in [
            (#""amount":100"#, #""amount":101"#), (#""amount":100"#, #""amount":100.0"#),
            (#""amount":100"#, #""amount":1e2"#), ("authorized", "authorizeD"),
            ("USD", "USE"), ("reference132", "reference133"), ("84571d30", "84571d31"),
            (#""charge""#, #""Charge""#), (#""amount_captured":"""#, #""amount_captured":" ""#),
            ("paypal\",\"amount", "paypaL\",\"amount"), ("621233f0", "621233F0"),
            ("621233f0", "721233f0"), ("01db5\"", "01db\""), ("17ad8139fe", "17ad8139fe "),
        ] {
            #expect(body.contains(old))
            let refusal = refusal(body.replacing(old, with: new, maxReplacements: 1))
            #expect(refusal == .signatureMismatch, "\(new)")
        }
    }

    @Test func `another secret is refused`() {
        for secret in ["Braintree", "braintree\n", "brain"] {
            let body = Fixture.body(Fixture.paid, secret: Array(secret.utf8))
            #expect(refusal(body) == .signatureMismatch)
        }
    }

    @Test func `the record says which secret verified`() throws {
        for (secret, key) in [("newer", "1"), ("braintree", "2")] {
            let body = Fixture.body(Fixture.paid, secret: Array(secret.utf8))
            #expect(try Fixture.provider.verify(SignedRequest(body: body)).key == key)
        }
    }

    /// The literal text of a number is hashed: another notation of its value does not verify.
    @Test(arguments: ["4200", "4200.0", "4.2e3", "42e2", "-4200", "0"])
    func `numbers count as they are written`(_ lexeme: String) throws {
        let body = Fixture.body(Fixture.fields(.raw("amount", lexeme)))
        let notification = try Fixture.provider.receive(SignedRequest(body: body))
        #expect(notification.effect.takesMoney == (lexeme == "4200" || lexeme == "0"))
        let text = Fixture.body(Fixture.fields(.text("amount", lexeme)))
        #expect(try Fixture.provider.receive(SignedRequest(body: text)) == notification)
    }

    /// One unusable list for each reason code.
    @Test(arguments: [
        ("id,reference,amount,currency,status", "fields_required_missing"),
        ("id,reference,amount,currency,status,transaction_type,id", "fields_duplicate_name"),
        ("id,reference,amount,currency,status,transaction_type,sign", "fields_forbidden_name"),
        ("id,reference,amount,currency,status,transaction_type,secret", "fields_forbidden_name"),
        ("id,reference,amount,currency,status,transaction_type,token", "fields_forbidden_name"),
        (
            "id,reference,amount,currency,status,transaction_type,fields,fields",
            "fields_duplicate_name"
        ),
        ("", "fields_required_missing"), (",,,", "fields_required_missing"),
        ("id,reference,\u{1}", "fields_malformed"),
        ("id&reference=REQ-1,amount", "fields_malformed"),
        ("id,reference,amount,currency,status,transaction_type,absent", "signed_field_missing"),
        ("id, reference,amount,currency,status,transaction_type", "signed_field_missing"),
        ((0..<65).map { "n\($0)" }.joined(separator: ","), "fields_too_many"),
    ])
    func `a list that cannot be used is refused`(_ list: String, _ reason: String) {
        let refusal = refusal(Fixture.body(Fixture.paid, list: list))
        #expect(refusal?.reason == reason && refusal?.kind == .unauthenticated)
    }

    @Test func `a list that names itself is the same list`() throws {
        var list = Fixture.paid.map(\.name)
        list.append("fields")
        let body = Fixture.body(Fixture.paid, list: list.joined(separator: ","))
        #expect(refusal(body) == nil)
    }

    /// The signature is valid for one way to hash the value, but no page documents it.
    @Test(arguments: [
        ("true", "signed_field_boolean"),
        ("{}", "signed_field_structured"), ("[]", "signed_field_structured"),
        (#"{"a":1}"#, "signed_field_structured"),
    ])
    func `what nobody knows how to hash is refused`(_ json: String, _ reason: String) {
        for hashed in [json, "", "null", "1"] {
            let body = Fixture.body(Fixture.fields(.raw("payment", json, hashed: hashed)))
            #expect(refusal(body)?.reason == reason)
        }
    }

    @Test(arguments: [
        ("", "json_"), ("amount=1&sign=2", "json_"), ("[]", "body_not_object"),
        ("\"x\"", "body_not_object"), (#"{"a":1,"a":1}"#, "json_"), ("{} {}", "json_"),
    ])
    func `a body that cannot be read is malformed`(_ body: String, _ reason: String) {
        let refusal = refusal(body)
        #expect(refusal?.kind == .malformed)
        #expect(refusal?.reason.hasPrefix(reason) == true)
    }

    @Test(arguments: [
        (#"{"fields":"id"}"#, "sign_missing"), (#"{"sign":"a"}"#, "fields_missing"),
        (#"{"sign":1,"fields":"id"}"#, "sign_not_text"),
        (#"{"sign":"a","fields":["id"]}"#, "fields_not_text"),
        (#"{"sign":null,"fields":"id"}"#, "sign_not_text"),
    ])
    func `a body without list or signature is unauthenticated`(_ body: String, _ reason: String) {
        #expect(refusal(body)?.reason == reason)
        #expect(refusal(body)?.kind == .unauthenticated)
    }

    /// The same text with other field boundaries. A customer who controls part of a signed field
    /// could otherwise turn a failed charge into a paid one.
    @Test func `the seams between fields cannot be moved`() throws {
        let list = "id,reference,amount,currency,status,transaction_type,zone"
        let tail = "&status=fail&transaction_type=charge&zone="
        // Text that a customer might place in the merchant's reference of a charge that then fails:
        let reference = "R&status=success&transaction_type=charge&zone="
        let genuine =
            "amount=4200&currency=MYR&fields=\(list)&id=CH-1&reference=\(reference)\(tail)&"
        let sign = String(
            decoding: CitconUPI.sign(Array(genuine.utf8), secret: Fixture.secret), as: UTF8.self)
        func body(_ reference: String, _ status: String, _ zone: String) -> String {
            """
            {"amount":"4200","currency":"MYR","fields":"\(list)","id":"CH-1","reference":\
            "\(reference)","status":"\(status)","transaction_type":"charge","zone":"\(zone)",\
            "sign":"\(sign)"}
            """
        }
        // The same text: as a success whose last field contains the failure, and as signed.
        #expect(refusal(body("R", "success", tail))?.reason == "signed_field_ambiguous")
        #expect(refusal(body(reference, "fail", ""))?.reason == "signed_field_ambiguous")
        #expect(refusal(body("R", "success", ""))?.reason == "signature_mismatch")
    }

    @Test func `an ampersand alone is no seam`() throws {
        let body = Fixture.body(Fixture.fields(.text("reference", "A&B=C&&d")))
        #expect(try Fixture.provider.receive(SignedRequest(body: body)).reference == "A&B=C&&d")
    }

    @Test func `settings without a secret are refused`() {
        #expect(throws: SettingsError(key: "secrets", message: "at least one secret is needed")) {
            try CitconUPI(settings: EndpointSettings(name: "c"))
        }
        #expect(throws: SettingsError(key: "secrets[1]", message: "the secret is empty")) {
            try CitconUPI(settings: EndpointSettings(name: "c", ["secrets": .secrets([[1], []])]))
        }
    }

    @Test func `answers byte for byte`() {
        func answer(_ verdict: Verdict) -> Answer { Fixture.provider.answer(verdict) }
        func plain(_ status: Int, _ word: String) -> Answer {
            Answer(status: status, contentType: "text/plain", body: Array(word.utf8))
        }
        #expect(answer(.accepted) == plain(200, "ok"))
        #expect(answer(.unavailable) == plain(503, "unavailable"))
        #expect(answer(.refused(.signatureMismatch)) == plain(401, "unauthenticated"))
        #expect(answer(.refused(.malformed("x", ""))) == plain(400, "malformed"))
    }
}
