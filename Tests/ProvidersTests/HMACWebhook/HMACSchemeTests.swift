import Bytes
import Cryptography
import Payments
import Testing

@testable import Providers

/// Composite headers, several signatures, and templates.
@Suite struct HMACSchemeTests {
    static let stripe = HMACScheme(
        header: "s", layout: .parameters(separator: .comma, signature: "v1"),
        content: SignedTemplate(
            parts: SignedTemplate.timestampAndBody, timestamp: .parameter("t")))

    private func code(_ content: String) -> String {
        Hex.encode(
            HMAC.code(.sha256, key: HMACWebhookTests.secret, message: Array(content.utf8)))
    }

    private func reason(_ header: String, _ scheme: HMACScheme = stripe) throws -> String? {
        let provider = try HMACWebhookTests.provider(scheme)
        return provider.refusal(SignedRequest(headers: [("s", header)], body: "{}"))?.reason
    }

    @Test func `a composite header is taken apart`() throws {
        let good = code("1700000000.{}")
        for header in [
            "t=1700000000,v1=\(good)", "v1=\(good),t=1700000000", " t=1700000000 , v1=\(good) ",
            "t=1700000000,v1=00,v1=zz,v1=\(good)", "t=1700000000,v0=\(good),v1=\(good),x,,y=",
            "t=1700000000,v1=\(good),v1=\(code("another"))", "t =1700000000,v1 = \(good)",
        ] {
            #expect(try reason(header) == nil, "\(header)")
        }
        for (header, expected) in [
            ("t=1700000001,v1=\(good)", "signature_mismatch"),
            ("t=1700000000,v0=\(good)", "signature_missing"),
            ("t=1700000000,V1=\(good)", "signature_missing"), (good, "signature_missing"),
            ("v1=\(good)", "parameter_missing"), ("t=1700000000,v1=", "signature_encoding"),
            ("t=1700000000,t=1700000000,v1=\(good)", "parameter_duplicate"),
            ("t=1700000000.{,v1=\(good)", "timestamp_malformed"),
        ] {
            #expect(try reason(header) == expected, "\(header)")
        }
    }

    /// Unauthenticated work is bounded by names, not by the head's limit.
    @Test func `counts have limits`() throws {
        let good = code("1700000000.{}")
        func header(_ signatures: Int, _ others: Int) -> String {
            (["t=1700000000"] + Array(repeating: "x=y", count: others)
                + Array(repeating: "v1=\(good)", count: signatures)).joined(separator: ",")
        }
        #expect(try reason(header(HMACSignatureValue.signaturesMax, 0)) == nil)
        #expect(try reason(header(17, 0)) == "signature_too_many")
        #expect(try reason(header(1, HMACSignatureValue.partsMax - 2)) == nil)
        #expect(try reason(header(1, 31)) == "signature_parts_too_many")
        #expect(try reason(header(1, 5000)) == "signature_parts_too_many")
    }

    @Test func `one of several signatures in a plain header is enough`() throws {
        let good = code("{}")
        let list = HMACScheme(header: "s", prefix: "sha256=", layout: .list(separator: .comma))
        #expect(try reason("sha256=\(good)", list) == nil)
        #expect(try reason("sha256=00, md5=1, sha256=\(good)", list) == nil)
        #expect(try reason("sha256=\(code("x")),sha256=\(code("y"))", list) == "signature_mismatch")
        #expect(try reason("md5=1, md5=2", list) == "signature_prefix")
        #expect(try reason(good, list) == "signature_prefix")
        // If one signature is expected, several are refused.
        let single = HMACScheme(header: "s")
        #expect(try reason("\(good),\(good)", single) == "signature_encoding")
    }

    @Test(arguments: [
        ("{body}", [SignedTemplate.Part.body] as [SignedTemplate.Part]?),
        (
            "v0:{timestamp}:{body}",
            [
                .literal(Array("v0:".utf8)), .timestamp, .literal([0x3A]), .body,
            ]
        ),
        ("{id}{method}{path}", [.id, .method, .path]), ("plain", [.literal(Array("plain".utf8))]),
        ("{query}", nil), ("{body", nil), ("body}", nil), ("{}", nil), ("{{body}}", nil),
        ("{id}.{", nil), ("{ {body}", nil), (#"{"id":{body}}"#, nil), ("{body}}", nil),
    ])
    func `templates are read`(_ text: String, _ parts: [SignedTemplate.Part]?) {
        #expect(SignedTemplate.parts(of: text) == parts)
        if let parts { #expect(SignedTemplate(parts: parts).text == text) }
    }

    @Test func `method and path are the requests`() throws {
        let parts = try #require(SignedTemplate.parts(of: "{method}{path}{body}"))
        let scheme = HMACScheme(header: "s", content: SignedTemplate(parts: parts))
        let provider = try HMACWebhookTests.provider(scheme)
        var delivery = SignedRequest(
            path: "/ipn/x", query: "a=1", headers: [("s", code("POST/ipn/x{}"))], body: "{}")
        #expect(provider.refusal(delivery) == nil)
        delivery.path = Array("/ipn/y".utf8)[...]
        #expect(provider.refusal(delivery) == .signatureMismatch)
    }

    /// One signature proves one id and one time: no byte can move between them, or from
    /// the body.
    @Test(
        arguments: [
            "{id}.{timestamp}.{body}", "{timestamp}.{id}.{body}", "{id}|{timestamp}{body}",
        ], ["1700000000", "2026-11-21T06:59:58.123"])
    func `bytes cannot move between the signed values`(_ template: String, _ time: String) throws {
        let parts = try #require(SignedTemplate.parts(of: template))
        let scheme = HMACScheme(
            header: "s",
            content: SignedTemplate(parts: parts, timestamp: .header("t"), id: .header("i")))
        let provider = try HMACWebhookTests.provider(
            scheme, fields: HMACWebhookTests.changed { $0.identity = [] })
        let (id, body) = ("a.5", #"{"type":"x.pending","data":{"charge":".1"}}"#)
        let content = template.replacing("{id}", with: id).replacing("{timestamp}", with: time)
            .replacing("{body}", with: body)
        let sign = code(content)
        func delivery(_ id: some StringProtocol, _ time: some StringProtocol, _ body: String)
            -> SignedRequest
        {
            SignedRequest(headers: [("s", sign), ("i", "\(id)"), ("t", "\(time)")], body: body)
        }
        guard !template.hasPrefix("{timestamp}.") || !time.contains(".") else {
            // The time could end at its fraction, so such a sender is refused.
            let refusal = provider.refusal(delivery(id, time, body))
            #expect(refusal?.reason == "timestamp_malformed")
            #expect(provider.refusal(delivery("123.\(id)", time.prefix(19), body)) == nil)
            return
        }
        let genuine = try provider.verify(delivery(id, time, body)).evidence
        #expect(genuine.id == id && provider.interpret(genuine).flags.isEmpty)
        // Every division of the signed text into three parts.
        let all = Array(content)
        var accepted = 0
        for first in 0...all.count {
            for second in first...all.count {
                for skipped in 0...1 {
                    guard second + skipped <= all.count else { continue }
                    for gap in 0...1 where first + gap <= second {
                        let one = String(all[..<first])
                        let two = String(all[(first + gap)..<second])
                        let rest = String(all[(second + skipped)...])
                        for (id, time) in [(one, two), (two, one)] {
                            let cut = delivery(id, time, rest)
                            guard let verified = try? provider.verify(cut) else { continue }
                            accepted += 1
                            // Bytes moved into the body make it an invalid document.
                            let moved = provider.interpret(verified.evidence)
                            #expect(
                                verified.evidence == genuine || moved.flags == [.notUnderstood],
                                "\(id) \(time) \(rest)")
                        }
                    }
                }
            }
        }
        #expect(accepted > 0)
    }

    /// Without a separator, the beginning of the body could be taken as the end of the id, and one
    /// signature would be valid for as many ids as the body has bytes.
    @Test(arguments: ["{", "[", "\""])
    func `a signed ID holds nothing that begins a document`(_ mark: String) throws {
        let parts = try #require(SignedTemplate.parts(of: "{id}{body}"))
        let scheme = HMACScheme(
            header: "s", content: SignedTemplate(parts: parts, id: .header("i")))
        let provider = try HMACWebhookTests.provider(
            scheme, fields: HMACWebhookTests.changed { $0.identity = [] })
        let body = #"{"type":"x.pending","data":{"order":{"id":"1"}}}"#
        func refusal(_ id: String, _ body: String) -> String? {
            provider.refusal(
                SignedRequest(headers: [("s", code(id + body)), ("i", id)], body: body))?.reason
        }
        #expect(refusal("e1", body) == nil)
        #expect(refusal("e1\(mark)", body) == "id_malformed")
        #expect(refusal("\(mark)e1", body) == "id_malformed")
        #expect(refusal("e1" + body, "") == "id_malformed", "all of it moved into the id")
    }

    /// The signed id is the event's identity if the fields name none.
    @Test func `a signed ID is the identity`() throws {
        let parts = try #require(SignedTemplate.parts(of: "{id}.{body}"))
        let scheme = HMACScheme(
            header: "s", content: SignedTemplate(parts: parts, id: .header("i")))
        let provider = try HMACWebhookTests.provider(
            scheme, fields: HMACWebhookTests.changed { $0.identity = [] })
        func id(_ id: String, _ body: String) throws -> String {
            try provider.receive(
                SignedRequest(headers: [("s", code("\(id).\(body)")), ("i", id)], body: body)
            ).id
        }
        let body = #"{"type":"x.pending","data":{"order":{"id":"1"}}}"#
        #expect(try id("e1", body) == id("e1", body + " "))
        #expect(try id("e1", body) != id("e2", body))
    }

    @Test(arguments: [
        ("hmac.signs", HMACScheme(header: "a", content: SignedTemplate(parts: [.method]))),
        ("hmac.signs", HMACScheme(header: "a", content: SignedTemplate(parts: [.body, .body]))),
        (
            "hmac.signs",
            HMACScheme(
                header: "a",
                content: SignedTemplate(
                    parts: [.id, .timestamp, .body], timestamp: .header("t"), id: .header("i")))
        ),
        (
            "hmac.signs",
            HMACScheme(
                header: "a",
                content: SignedTemplate(
                    parts: [.id, .literal([0x30]), .timestamp, .body], timestamp: .header("t"),
                    id: .header("i")))
        ),
        (
            "hmac.timestampHeader",
            HMACScheme(header: "a", content: SignedTemplate(parts: [.timestamp, .body]))
        ),
        (
            "hmac.idParameter",
            HMACScheme(
                header: "a", content: SignedTemplate(parts: [.body], id: .parameter("i")))
        ),
        (
            "hmac.timestampParameter",
            HMACScheme(
                header: "a",
                content: SignedTemplate(
                    parts: SignedTemplate.timestampAndBody, timestamp: .parameter("t")))
        ),
        (
            "hmac.timestampParameter",
            HMACScheme(
                header: "a", layout: .parameters(separator: .comma, signature: "t"),
                content: SignedTemplate(
                    parts: SignedTemplate.timestampAndBody, timestamp: .parameter("t")))
        ),
        (
            "hmac.signatureParameter",
            HMACScheme(header: "a", layout: .parameters(separator: .comma, signature: "v 1"))
        ),
        ("hmac.prefix", HMACScheme(header: "a", prefix: "a,", layout: .list(separator: .comma))),
    ])
    func schemesThatCannotWorkAreNamed(_ key: String, _ scheme: HMACScheme) {
        do throws(SettingsError) {
            try scheme.check()
            Issue.record("accepted")
        } catch {
            #expect(error.key == key)
        }
    }
}
