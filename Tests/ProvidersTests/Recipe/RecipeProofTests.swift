import Bytes
import Cryptography
import Payments
import Testing

@testable import Providers

@Suite struct RecipeProofTests {
    private static let body =
        #"{"id":"1","order":"R","payment":"P","type":"paid","amount":5,"currency":"EUR"}"#

    private func scheme(
        _ signs: String, timestamp: SignedTemplate.Place? = nil,
        _ change: (inout SignedTemplate) -> Void = { _ in }
    ) throws -> HMACScheme {
        var template = SignedTemplate(
            parts: try #require(SignedTemplate.parts(of: signs)), timestamp: timestamp)
        change(&template)
        return HMACScheme(header: "x-sign", content: template)
    }

    @Test func `the configured URL is signed byte for byte`() throws {
        let recipe = RecipeShop.recipe(scheme: try scheme("{url}{body}"))
        let url = "https://pay.example/ipn?x=1"
        let settings = RecipeShop.settings(["notificationURL": .text(url)])
        let good = SignedRequest(
            headers: [("x-sign", RecipeShop.hex(url + Self.body))], body: Self.body)
        #expect(try RecipeShop.reason(recipe, good, settings) == nil)
        let other = RecipeShop.settings(["notificationURL": .text(url + "/")])
        #expect(try RecipeShop.reason(recipe, good, other) == "signature_mismatch")
        #expect(throws: SettingsError.self) {
            try RecipeProvider(recipe, settings: RecipeShop.settings())
        }
    }

    @Test func `without a separator a time has exactly its digits and the body is an object`()
        throws
    {
        let scheme = try scheme("{timestamp}{body}", timestamp: .header("x-time")) {
            $0.timestampForm = .milliseconds
            $0.isObject = true
        }
        let recipe = RecipeShop.recipe(scheme: scheme)
        let time = "1772600999000"
        let signature = RecipeShop.hex(time + Self.body)
        func reason(_ time: String, _ body: String) throws -> String? {
            try RecipeShop.reason(
                recipe,
                SignedRequest(headers: [("x-sign", signature), ("x-time", time)], body: body))
        }
        #expect(try reason(time, Self.body) == nil)
        // A digit that moves to the body leaves the same text and the same code.
        #expect(try reason(String(time.dropLast()), "0" + Self.body) == "timestamp_malformed")
        #expect(try reason(time + "0", Self.body) == "timestamp_malformed")
        #expect(try reason("1772600999001", Self.body) == "signature_mismatch")
        #expect(try reason(time, " " + Self.body) == "body_not_object")
    }

    @Test func `a tolerance that the scheme needs cannot be left out`() throws {
        let scheme = try scheme("{timestamp}.{body}", timestamp: .header("x-time")) {
            $0.needsTolerance = true
        }
        let recipe = RecipeShop.recipe(scheme: scheme) {
            $0.settings.append(
                RecipeSetting("toleranceSeconds", .seconds, standard: .integer(300)))
        }
        let time = "1790000061"
        let delivery = SignedRequest(
            headers: [("x-sign", RecipeShop.hex("\(time).\(Self.body)")), ("x-time", time)],
            body: Self.body)
        #expect(try RecipeShop.reason(recipe, delivery.received(at: 1_790_000_361)) == nil)
        let late = delivery.received(at: 1_790_000_362)
        #expect(try RecipeShop.reason(recipe, late) == "timestamp_out_of_tolerance")
        #expect(throws: SettingsError.self) {
            try RecipeProvider(
                RecipeShop.recipe(scheme: scheme), settings: RecipeShop.settings())
        }
    }

    @Test func `values of the body are signed in their forms`() throws {
        var scheme = try scheme("{/order}{/code}{/sum}{secret}") {
            $0.forms = ["/order": .word, "/code": .code, "/sum": .decimal]
        }
        scheme.kind = .hash
        scheme.algorithm = .sha512
        scheme.place = .pointer("/signature")
        let fields = RecipeShop.fields {
            $0.amount = "/sum"
            $0.amountForm = .decimal
        }
        let recipe = RecipeShop.recipe(fields, scheme: scheme)
        func body(_ order: String, _ code: String, _ sum: String, _ signature: String) -> String {
            #"{"id":"1","order":"\#(order)","payment":"P","type":"paid","currency":"IDR","#
                + #""code":"\#(code)","sum":"\#(sum)","signature":\#(signature)}"#
        }
        func reason(_ body: String) throws -> String? {
            try RecipeShop.reason(recipe, SignedRequest(body: body))
        }
        let text = Array("R-1200100.00\(RecipeShop.secret)".utf8)
        let code = Hex.encode(HMAC.Algorithm.sha512.hash(parts: [text[...]]))
        #expect(try reason(body("R-1", "200", "100.00", "\"\(code)\"")) == nil)
        #expect(try reason(body("R-", "120", "0100.00", "\"\(code)\"")) == "signed_value_malformed")
        #expect(try reason(body("R-12", "00", "100.00", "\"\(code)\"")) == "signed_value_malformed")
        #expect(try reason(body("R-2", "200", "100.00", "\"\(code)\"")) == "signature_mismatch")
        #expect(try reason(body("R-1", "200", "100.00", "null")) == "sign_missing")
        #expect(try reason(body("R-1", "200", "100.00", "7")) == "sign_not_text")
        #expect(try reason(#"{"signature":"\#(code)"}"#) == "signed_value_missing")
        #expect(try reason("{")?.hasPrefix("json_") == true)
        let twice = body("R-1", "200", "100.00", "\"\(code)\"")
            .replacing(#""code":"#, with: #""code":"201","code":"#)
        #expect(try reason(twice) == "json_duplicate_key")
    }

    @Test func `a value cannot hold the text behind it`() throws {
        let recipe = RecipeShop.recipe(scheme: try scheme("{/a}|{/b}|{header:x-n}|{body}"))
        func reason(_ a: String, _ b: String, _ text: String) throws -> String? {
            let body = #"{"a":"\#(a)","b":"\#(b)","id":"1"}"#
            return try RecipeShop.reason(
                recipe,
                SignedRequest(
                    headers: [("x-sign", RecipeShop.hex("\(text)|\(body)")), ("x-n", "N")],
                    body: body))
        }
        #expect(try reason("1", "2", "1|2|N") == nil)
        #expect(try reason("1|2", "", "1|2||N") == "signed_value_malformed")
    }

    @Test func `a bar at the end of a value is not taken for the text behind it`() throws {
        let recipe = RecipeShop.recipe(scheme: try scheme("{/a}||{/b}"))
        func reason(_ a: String, _ b: String) throws -> String? {
            try RecipeShop.reason(
                recipe,
                SignedRequest(
                    headers: [("x-sign", RecipeShop.hex("1|||2"))],
                    body: #"{"a":"\#(a)","b":"\#(b)","id":"1"}"#))
        }
        #expect(try reason("1", "|2") == nil)
        #expect(try reason("1|", "2") == "signed_value_malformed")
    }

    @Test func `an id cannot take from the header behind it`() throws {
        let template = SignedTemplate(
            parts: try #require(SignedTemplate.parts(of: "{id}.{header:x-n}.{body}")),
            id: .header("x-id"))
        let recipe = RecipeShop.recipe(
            scheme: HMACScheme(header: "x-sign", content: template))
        func reason(_ id: String, _ header: String) throws -> String? {
            try RecipeShop.reason(
                recipe,
                SignedRequest(
                    headers: [
                        ("x-sign", RecipeShop.hex("a.b.c.\(Self.body)")), ("x-id", id),
                        ("x-n", header),
                    ], body: Self.body))
        }
        #expect(try reason("a.b", "c") == "signed_value_malformed")
        #expect(try reason("a", "b.c") == "signed_value_malformed")
    }

    @Test(arguments: HMAC.Algorithm.allCases, HMACScheme.KeyForm.allCases)
    func `keys come as text, hex or Base64`(
        _ algorithm: HMAC.Algorithm, _ form: HMACScheme.KeyForm
    ) throws {
        var scheme = HMACScheme(header: "x-sign", algorithm: algorithm)
        scheme.keyForm = form
        scheme.secrets = "keys"
        let recipe = RecipeShop.recipe(scheme: scheme) {
            $0.settings = [RecipeSetting("keys", .secrets)]
        }
        let bytes = Array("0123456789abcdef".utf8)
        let text =
            switch form {
            case .text: "0123456789abcdef"
            case .hex: Hex.encode(bytes).uppercased()
            case .base64: Base64.encode(bytes) + "\n"
            }
        let code = Hex.encode(HMAC.code(algorithm, key: bytes, message: Array(Self.body.utf8)))
        let delivery = SignedRequest(headers: [("x-sign", code)], body: Self.body)
        let settings = RecipeShop.settings(secrets: "keys", ["00", text])
        #expect(try RecipeProvider(recipe, settings: settings).verify(delivery).key == "2")
        if form != .text {
            #expect(
                throws: SettingsError(
                    key: "keys[0]",
                    message: "the secret is not "
                        + (form == .hex ? "hex" : "Base64"))
            ) {
                try RecipeProvider(
                    recipe, settings: RecipeShop.settings(secrets: "keys", ["!"]))
            }
        }
    }

    @Test func `a token must equal one of the endpoint's`() throws {
        let recipe = RecipeShop.recipe {
            $0.proof = .token(TokenScheme(header: "X-Callback-Token", secrets: "tokens"))
            $0.settings = [RecipeSetting("tokens", .secrets)]
        }
        let settings = RecipeShop.settings(secrets: "tokens", ["old", "new"])
        let provider = try RecipeProvider(recipe, settings: settings)
        func delivery(_ tokens: String...) -> SignedRequest {
            SignedRequest(headers: tokens.map { ("x-callback-token", $0) }, body: Self.body)
        }
        #expect(try provider.verify(delivery("new")).key == "2")
        #expect(try provider.receive(delivery("old")).effect == .attempt(.paid, .of(5, "EUR")))
        #expect(provider.refusal(delivery(""))?.reason == "token_mismatch")
        #expect(provider.refusal(delivery("ne"))?.reason == "token_mismatch")
        #expect(provider.refusal(delivery())?.reason == "missing_header")
        #expect(provider.refusal(delivery("new", "new"))?.reason == "duplicate_header")
        for bad in [[], [""], ["a", " \n"]] {
            #expect(throws: SettingsError.self) {
                try RecipeProvider(
                    recipe, settings: RecipeShop.settings(secrets: "tokens", bad))
            }
        }
    }

    @Test func `requirements hold besides the proof`() throws {
        let recipe = RecipeShop.recipe {
            $0.settings += [RecipeSetting("merchant", .text), RecipeSetting("auth", .secret)]
            $0.settings[1].isRequired = false
            $0.settings[2].isRequired = false
            $0.requirements = [
                Requirement("/merchant", equals: .setting("merchant"), reason: "merchant_mismatch"),
                Requirement(
                    .header("Authorization"), equals: .setting("auth"), reason: "auth_mismatch"),
                Requirement("/live", equals: .text("true"), reason: "not_live"),
            ]
        }
        func reason(
            _ body: String, _ settings: [String: SettingValue?], auth: String? = nil
        ) throws -> String? {
            var delivery = SignedRequest(
                headers: [("x-sign", RecipeShop.hex(body))], body: body)
            delivery = delivery.with(header: "authorization", auth)
            return try RecipeShop.reason(recipe, delivery, RecipeShop.settings(settings))
        }
        let body = #"{"id":"1","type":"paid","merchant":"M","live":true}"#
        #expect(try reason(body, [:]) == nil)
        #expect(try reason(body, ["merchant": "M"]) == nil)
        #expect(try reason(body, ["merchant": "N"]) == "merchant_mismatch")
        #expect(try reason(#"{"live":true}"#, ["merchant": "M"]) == "merchant_mismatch")
        #expect(try reason(#"{"live":false}"#, [:]) == "not_live")
        #expect(try reason(body, ["auth": "s3"], auth: "s3") == nil)
        #expect(try reason(body, ["auth": "s3"], auth: "s4") == "auth_mismatch")
        #expect(try reason(body, ["auth": "s3"]) == "missing_header")
        #expect(try reason("{", [:])?.hasPrefix("json_") == true)
    }

    @Test func `neighbours that could exchange bytes are mistakes`() throws {
        let forms = { (template: inout SignedTemplate) in
            template.forms = ["/a": .word, "/b": .digits]
        }
        #expect(RecipeShop.mistake(try scheme("{/a}{/b}")) == "hmac.signs")
        #expect(RecipeShop.mistake(try scheme("{/a}{/b}", forms)) == nil)
        #expect(RecipeShop.mistake(try scheme("{header:x}{body}")) == "hmac.signs")
        #expect(RecipeShop.mistake(try scheme("{header:x}{body}") { $0.isObject = true }) == nil)
        #expect(RecipeShop.mistake(try scheme("{header:x}|{body}")) == nil)
        #expect(RecipeShop.mistake(try scheme("{/a}|{/a}")) == "hmac.signs")
        #expect(RecipeShop.mistake(try scheme("{url}")) == "hmac.signs")
        #expect(RecipeShop.mistake(try scheme("{body}{secret}")) == "hmac.signs")
        #expect(
            RecipeShop.mistake(try scheme("{body}") { $0.needsTolerance = true })
                == "hmac.tolerance")
        #expect(RecipeShop.mistake(try scheme("{body}", forms)) == "hmac.formats")
        var hash = try scheme("{secret}{body}")
        hash.kind = .hash
        // Whoever knows the hash of a text knows that of a longer one.
        #expect(RecipeShop.mistake(hash) == "hmac.signs")
        hash = try scheme("{body}{secret}")
        hash.kind = .hash
        #expect(RecipeShop.mistake(hash) == nil)
        hash.place = .pointer("/sign")
        #expect(RecipeShop.mistake(hash) == "hmac.signs")
        #expect(SignedTemplate.parts(of: "{header:}") == nil)
        #expect(SignedTemplate.parts(of: "{other:x}") == nil)
        let text = "{url}{header:x-a}:{setting:k}{/a/b}{secret}"
        #expect(try scheme(text).content.text == text)
    }

    @Test func `work before the proof is bounded where the body is parsed for it`() throws {
        var scheme = try scheme("{/a}")
        scheme.place = .pointer("/sign")
        let provider = try RecipeProvider(
            RecipeShop.recipe(scheme: scheme), settings: RecipeShop.settings())
        let many = "[" + Array(repeating: "0", count: 9000).joined(separator: ",") + "]"
        #expect(provider.refusal(SignedRequest(body: many))?.reason == "json_nodes")
        var work = VerificationWork(receivedBytes: 0)
        let long = SignedRequest(body: #"{"a":"\#(String(repeating: "x", count: 70_000))"}"#)
        let refusal = #expect(throws: Refusal.self) { try provider.verify(long, work: &work) }
        #expect(refusal?.reason == "verification_too_costly")
    }
}
