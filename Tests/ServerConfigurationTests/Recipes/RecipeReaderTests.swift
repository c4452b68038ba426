import Payments
import Providers
import Testing

@testable import ServerConfiguration

/// Every part of the language, as it is read.
@Suite struct RecipeReaderTests {
    private func recipe(_ old: String = "", _ new: String = "") throws -> Recipe {
        let text = old.isEmpty ? RecipeText.acme : RecipeText.acme.replacing(old, with: new)
        let file = RecipeFile(text: text, name: "acme", isShipped: true)
        return try #require(file.recipe, "\(file.findings)")
    }

    private func fields(_ line: String) throws -> FieldMapping {
        try recipe("  occurred: /created", "  \(line)").fields
    }

    @Test func `a recipe is read with its settings, its proof and its fields`() throws {
        let recipe = try recipe()
        #expect(recipe.name == "acme" && recipe.title == "Acme Pay")
        #expect(
            recipe.settings.map(\.key) == [
                "secrets", "toleranceSeconds", "mode", "merchantID", "references",
            ])
        #expect(recipe.settings[0].dashboard == "Settings > API keys")
        #expect(recipe.settings[1].standard == .integer(300))
        #expect(recipe.settings[4].standard == .texts(["/data/order"]))
        guard case .signature(let scheme) = recipe.proof else {
            Issue.record("no signature")
            return
        }
        #expect(scheme.header == "x-acme-signature" && scheme.algorithm == .sha256)
        #expect(scheme.content == .timestampAndBody(header: "x-acme-time"))
        #expect(
            recipe.requirements == [
                Requirement(
                    "/merchant", equals: .setting("merchantID"), reason: "merchant_mismatch")
            ])
        #expect(recipe.marks == Marks(headers: [["x-acme-signature"]]))
        #expect(recipe.fields.reference == .setting("references"))
        #expect(recipe.fields.transaction == .first(["/data/payment", "/data/id"]))
        #expect(recipe.fields.test == [Condition("/live", .isOneOf(["false"]))])
        #expect(recipe.fields.statuses["payout.*"] == .ignored)
        let variant = try #require(recipe.fields.variants.first)
        #expect(
            variant.conditions == [Condition("/type", .isOneOf(["refund.done", "refund.failed"]))])
        #expect(variant.fields.action == "/data/refund" && variant.fields.amount == "/data/amount")
        #expect(
            variant.fields.statuses == ["refund.done": .refunded, "refund.failed": .refundFailed])
    }

    @Test(arguments: [
        ("method: {text: card}", Source.text("card")),
        ("method: {header: X-Method}", .header("x-method")),
        ("method: {setting: merchantID}", .setting("merchantID")),
        ("method: [/a, /b]", .first(["/a", "/b"])), ("method: [/a]", "/a"),
        (
            "method: {join: [/a, {optional: /b}], with: \".\"}",
            .join(["/a", .optional("/b")], with: ".")
        ),
        ("method: {prefixed: order_, of: /a}", .prefixed("order_", of: "/a")),
        (
            "method: {unless: {at: /a, present: true}, of: /b}",
            .unless([Condition("/a", .isPresent(true))], "/b")
        ),
        (
            "method: {when: [{setting: mode, is: live}, {header: X-A, not: [b]}], of: /b}",
            .when(
                [
                    Condition(.setting("mode"), .isOneOf(["live"])),
                    Condition(.header("x-a"), .isNoneOf(["b"])),
                ], "/b")
        ),
        (
            "method: {when: {at: /a, startsWith: [x], }, of: {text: y}}",
            .when([Condition("/a", .startsWith(["x"]))], .text("y"))
        ),
        (
            "method: {when: {at: /a, differsFrom: /b}, of: /a}",
            .when([Condition("/a", .differsFrom("/b"))], "/a")
        ),
    ])
    func `every form of a source is read`(_ line: String, _ source: Source) throws {
        #expect(try fields(line).method == source)
    }

    @Test func `the other words of fields are read`() throws {
        let read = try fields(
            """
            each: /events
              eachMax: 20
              alias: /alias
              agreement: {root: /mandate}
              refundedAtLeast: /refunded
              occurredForm: milliseconds
              exponents: {ISK: 2, UGX: 2}
              withoutAmount: true
              scope: reference
              reason: {code: /code, message: /text}
              unsigned: [/extra]
            """)
        #expect(read.each == FieldMapping.FanOut("/events", max: 20))
        #expect(read.alias == "/alias" && read.agreement == .root("/mandate"))
        #expect(read.refundedAtLeast == "/refunded" && read.occurredForm == .milliseconds)
        #expect(read.exponents == ["ISK": 2, "UGX": 2] && read.withoutAmount)
        #expect(read.scope == .reference && read.unsigned == ["/extra"])
        #expect(read.reason == FieldMapping.ReasonSource(code: "/code", message: "/text"))
        // A variant is one of the elements and has none of its own.
        #expect(read.variants.allSatisfy { $0.fields.each == nil && $0.fields.withoutAmount })
    }

    @Test func `a word may bring flags, and a variant may take a fact away`() throws {
        let flagged = try recipe(
            "payment.failed: failed", "payment.failed: {is: failed, flags: [provider_review]}")
        #expect(flagged.fields.statuses["payment.failed"] == .failed)
        #expect(flagged.fields.statusFlags == ["payment.failed": [.providerReview]])
        let without = try recipe("action: /data/refund", "reference: none")
        #expect(without.fields.variants[0].fields.reference == nil)
        #expect(without.fields.variants[0].fields.transaction != nil)
    }

    @Test func `a plain hash, keys in hex and a signature in the body are read`() throws {
        let text = RecipeText.acme.replacing(
            """
              header: X-Acme-Signature
              signs: "{timestamp}.{body}"
              timestampHeader: x-acme-time
            """,
            with: """
                  pointer: /signature
                  kind: hash
                  algorithm: sha512
                  encoding: base64
                  signs: "{/id}{/type}{/data/amount}{secret}"
                  formats: {/id: word, /type: word, /data/amount: decimal}
                """)
        let file = RecipeFile(
            text: text.replacing("hmac:", with: "body: form\nhmac:"), name: "acme",
            isShipped: true)
        // What the hash does not cover may not decide.
        #expect(file.findings.contains { $0.key == "fields.transaction" })
        let reading = DecodingContext(file: "a", folder: "/", environment: [:])
        let node = try #require(
            YAMLText(
                """
                {pointer: /s, kind: hash, algorithm: sha1, key: hex, secrets: keys,
                 signs: "{/id}{url}{secret}", formats: {/id: digits}}
                """
            ).root(reading))
        let scheme = try #require(
            ValueReader(node: node, key: "hmac", schema: "hmac", reading: reading).hmacScheme)
        #expect(scheme.place == .pointer("/s") && scheme.kind == .hash)
        #expect(scheme.keyForm == .hex && scheme.algorithm == .sha1 && scheme.secrets == "keys")
        #expect(scheme.content.parts == [.pointer("/id"), .url, .secret])
        #expect(scheme.content.forms == ["/id": .digits])
    }

    @Test func `a token, answers, samples and notes are read`() throws {
        let text = RecipeText.acme.replacing(
            """
            hmac:
              header: X-Acme-Signature
              signs: "{timestamp}.{body}"
              timestampHeader: x-acme-time
            """,
            with: """
                token: {header: X-Callback-Token}
                answers:
                  accepted: {status: 204}
                  unauthenticated: {status: 498, body: no}
                accepts: [200, 204]
                retries: [180, 3600]
                samples:
                  all: {/object: event, /live: true, /list: [1, "1"]}
                  paid: {/note: null}
                  ids: {transaction: pi_}
                  headers: {X-Request: r}
                notes: {Batches: "one body has up to 250 events"}
                """
        ).replacing("  toleranceSeconds: {kind: seconds, default: 300}\n", with: "")
        let file = RecipeFile(text: text, name: "acme", isShipped: true)
        let recipe = try #require(file.recipe, "\(file.findings)")
        #expect(recipe.proof == .token(TokenScheme(header: "x-callback-token")))
        #expect(recipe.answers.accepted == Answer(status: 204))
        #expect(recipe.answers.unauthenticated?.body == Array("no".utf8))
        #expect(recipe.accepts == .only([200, 204]) && recipe.retries == [180, 3600])
        #expect(
            recipe.samples.all == [
                "/object": .text("event"), "/live": .bool(true),
                "/list": .list([.number("1"), .text("1")]),
            ])
        #expect(recipe.samples.types == [.paid: ["/note": .null]])
        #expect(recipe.samples.idPrefixes == ["transaction": "pi_"])
        #expect(recipe.samples.headers == ["x-request": "r"])
        #expect(recipe.notes.map(\.title) == ["Batches"])
    }
}
