import Cryptography
import JSON
import Payments
import Testing

@testable import Providers

@Suite struct EcommpayTests {
    typealias Fixture = EcommpayFixture

    private func refusal(_ body: String) -> Refusal? {
        Fixture.provider.refusal(SignedRequest(body: body))
    }

    /// Natural order and byte order differ in arrays of more than ten elements.
    @Test func `both orders verify`() throws {
        let errors = (0...11).map { "{\"code\":\"\($0)\"}" }.joined(separator: ",")
        let members =
            Fixture.members(type: "sale", operation: "decline", payment: "decline")
            + ",\"errors\":[\(errors)]"
        let natural = try Fixture.body(members, order: .natural)
        let bytes = try Fixture.body(members, order: .bytes)
        #expect(natural != bytes)
        #expect(refusal(natural) == nil && refusal(bytes) == nil)
    }

    /// The signature is over `100`, and the body has `100.0`. The signed number is read.
    @Test func `both number forms verify`() throws {
        let signed = Fixture.members(
            type: "sale", operation: "success", payment: "success",
            sum: #"{"amount":4200,"currency":"EUR"}"#)
        let genuine = try Fixture.body(signed)
        let printed = genuine.replacing("4200,", with: "4200.0,")
        #expect(printed != genuine)
        #expect(
            try Fixture.provider.receive(SignedRequest(body: printed))
                == Fixture.provider.receive(SignedRequest(body: genuine)))
        let lexeme = try Fixture.read(signed.replacing("4200,", with: "4200.0,"))
        #expect(lexeme.effect == .doubt && lexeme.flags == [.notUnderstood])
    }

    @Test func `one byte changed is refused`() throws {
        let body = try Fixture.body(
            Fixture.members(type: "sale", operation: "success", payment: "success"))
        for (old, new) in [
            ("4200", "4201"), ("4200", "\"4200 \""), ("EUR", "USD"), ("ORD-1", "ORD-2"),
            ("\"sale\"", "\"auth\""), ("success", "Success"), ("115", "1150"),
            ("\"payment\"", "\"paymenT\""), ("\"id\":77", "\"id\":78"), ("\"id\":77,", ""),
        ] {
            let changed = body.replacing(old, with: new, maxReplacements: 1)
            #expect(changed != body)
            #expect(refusal(changed) == .signatureMismatch, "\(new)")
        }
    }

    @Test(arguments: [
        ("{}", "signature_missing"), (#"{"signature":1}"#, "signature_not_text"),
        (#"{"signature":null,"general":{"signature":"AA=="}}"#, "signature_not_text"),
        (#"{"signature":"%%%"}"#, "signature_encoding"),
        (#"{"signature":"AA"}"#, "signature_encoding"),
        (#"{"signature":"AAAA"}"#, "signature_mismatch"),
        (#"{"signature":""}"#, "signature_mismatch"),
        (#"{"general":[{"signature":"AAAA"}]}"#, "signature_missing"),
    ])
    func `signatures that are none`(_ body: String, _ reason: String) {
        #expect(refusal(body)?.reason == reason && refusal(body)?.kind == .unauthenticated)
    }

    @Test(arguments: ["", "[]", "signature=1", #"{"a":1,"a":2}"#, "{\"a\":\"\u{1}\"}"])
    func `a body that cannot be read is malformed`(_ body: String) {
        #expect(refusal(body)?.kind == .malformed)
    }

    /// The work that a body may cause before its signature is verified.
    @Test func `a body that would grow is refused`() {
        let key = String(repeating: "k", count: 20_000)
        let values = Array(repeating: "1", count: 200).joined(separator: ",")
        #expect(
            refusal("{\"signature\":\"AAAA\",\"\(key)\":[\(values)]}")?.reason
                == "callback_too_large")
        let many = Array(repeating: "1", count: 5000).joined(separator: ",")
        #expect(refusal("{\"signature\":\"AAAA\",\"a\":[\(many)]}")?.reason == "callback_too_large")
    }

    @Test func `a foreign project is refused`() throws {
        for members in [
            #""project_id":116"#, #""project_id":"116""#, #""general":{"project_id":116}"#,
        ] {
            let body = try Fixture.body(members + #","payment":{"id":"1"}"#)
            #expect(refusal(body)?.reason == "project_id_mismatch")
            #expect(refusal(body)?.kind == .unauthenticated)
        }
        #expect(
            try refusal(Fixture.body(#""payment":{"id":"1"}"#))?.reason == "project_id_mismatch")
        #expect(try refusal(Fixture.body(#""project_id":"115","payment":{"id":"1"}"#)) == nil)
    }

    /// The same text with other boundaries.
    @Test func `fields cannot be hidden in values`() throws {
        let genuine = try Fixture.body(
            #""customer":{"id":"5"},"payment":{"id":"1","status":"decline"}"#)
        let document = try JSONDocument(parsing: Array(genuine.utf8)).root
        let signature = try #require(document["signature"]?.string)
        let swallowed = "5;payment:id:1;payment:status:decline"
        let hidden = #"{"customer":{"id":"\#(swallowed)"},"signature":"\#(signature)"}"#
        #expect(refusal(hidden)?.reason == "signed_value_ambiguous")
        let harmless = try Fixture.body(
            #""project_id":115,"payment":{"id":"1","description":"a;b:c;payment"}"#)
        #expect(refusal(harmless) == nil)
    }

    /// Members under a key that is never signed do not change the notification, at any depth.
    @Test func `unsigned parts change nothing`() throws {
        let members = Fixture.members(type: "sale", operation: "success", payment: "success")
        let plain = try Fixture.read(members)
        let body = try Fixture.body(members)
        for (old, new) in [
            ("{\"project_id\"", #"{"frame_mode":{"payment":{"status":"decline"}},"project_id""#),
            ("{\"project_id\"", #"{"frame_mode":"popup","project_id""#),
            ("\"payment\":{", #""payment":{"frame_mode":"x","signature":"y","#),
            ("\"payment\":{", #""payment":{"refunds":[],"extra":{},"#),
            ("\"operation\":{", #""operation":{"signature":{"type":"refund"},"#),
            ("{\"project_id\"", #"{"general":{"signature":"AAAA"},"project_id""#),
            ("{\"project_id\"", #"{"token":[],"recurring":{},"project_id""#),
        ] {
            let changed = body.replacing(old, with: new, maxReplacements: 1)
            #expect(changed != body)
            #expect(try Fixture.provider.receive(SignedRequest(body: changed)) == plain, "\(new)")
        }
    }

    /// Adding a signed member or removing one invalidates the signature.
    @Test func `signed parts cannot be added`() throws {
        let body = try Fixture.body(
            Fixture.members(type: "sale", operation: "success", payment: "success"))
        for added in [#""x":1,"#, #""x":null,"#, #""x":"","#, #""x":[false],"#] {
            let changed = body.replacing("{\"project_id\"", with: "{\(added)\"project_id\"")
            #expect(refusal(changed) == .signatureMismatch)
        }
    }

    @Test func `answers byte for byte`() {
        #expect(Fixture.provider.answer(.accepted) == Answer(status: 200))
        #expect(Fixture.provider.answer(.unavailable).status == 503)
        #expect(Fixture.provider.answer(.refused(.signatureMismatch)).status == 401)
        #expect(Fixture.provider.answer(.refused(.malformed("x", ""))).status == 400)
    }

    /// Every notification would be refused.
    @Test func `a project's ID is a number`() {
        #expect(throws: SettingsError.self) {
            try Ecommpay(
                settings: EndpointSettings(
                    name: "e", ["secrets": .secrets([[1]]), "projectID": .text("shop")]))
        }
    }
}
