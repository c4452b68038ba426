import Bytes
import JSON
import Payments
import Testing

@testable import Providers

/// A recipe's provider and sender belong together, whatever the recipe uses.
@Suite struct RecipeSampleTests {
    /// Every kind of setting, source and place.
    static let recipe: Recipe = {
        var fields = FieldMapping(
            identity: ["/id", .header("x-event"), .optional("/part")],
            reference: .first([.setting("references"), "/other"]), transaction: "/data/id",
            action: "/data/own", status: .join(["/kind", "/data/action"], with: "."),
            amount: "/data/amount", currency: "/data/currency", occurred: "/at",
            statuses: [
                "payments.paid": .paid, "payments.failed.late": .failed, "payouts.*": .ignored,
            ])
        fields.occurredForm = .milliseconds
        fields.exponents = ["ISK": 2]
        fields.test = [Condition("/live", .isOneOf(["false"]))]
        var refund = fields
        refund.status = "/data/done"
        refund.transaction = .first(["/data/of", "/data/charge"])
        refund.alias = .prefixed("order_", of: "/data/order")
        refund.statuses = ["true": .refunded, "false": .refundPending]
        var lost = fields
        lost.statuses = ["disputes.lost": .chargedBack]
        lost.amountForm = .decimal
        fields.variants = [
            FieldMapping.Variant(
                conditions: [
                    Condition("/kind", .startsWith(["refund"])),
                    Condition("/data/of", .isPresent(true)),
                ], fields: refund),
            FieldMapping.Variant(
                conditions: [Condition("/kind", .isOneOf(["disputes"]))], fields: lost),
        ]
        var recipe = RecipeShop.recipe(fields)
        recipe.settings = [
            RecipeSetting("keys", .secrets, help: "the keys"),
            RecipeSetting("references", .pointers, standard: .texts(["/data/meta/order"])),
            RecipeSetting("merchant", .text), RecipeSetting("mode", .mode),
            RecipeSetting("notificationURL", .url),
            RecipeSetting("toleranceSeconds", .seconds, standard: .integer(300)),
        ]
        recipe.requirements = [
            Requirement("/merchant", equals: .setting("merchant"), reason: "merchant_mismatch")
        ]
        var template = SignedTemplate(
            parts: SignedTemplate.parts(of: "{timestamp}.{url}.{body}") ?? [],
            timestamp: .parameter("t"))
        template.timestampForm = .seconds
        template.needsTolerance = true
        var scheme = HMACScheme(
            header: "x-sign", algorithm: .sha1, encoding: .base64,
            layout: .parameters(separator: .comma, signature: "v1"), content: template)
        scheme.secrets = "keys"
        scheme.keyForm = .base64
        recipe.proof = .signature(scheme)
        recipe.samples.all = [
            "/live": .bool(true), "/data/done": .bool(true), "/data/id": .number("1"),
            "/data/currency": .text("usd"), "/list/0/a": .null,
        ]
        recipe.samples.idPrefixes = ["action": "act_"]
        recipe.answers.accepted = Answer(status: 204)
        recipe.answers.unauthenticated = Answer(status: 498)
        recipe.accepts = .only([204])
        recipe.retries = [180, 3600]
        return recipe
    }()

    private static func parts() throws -> (any Provider, any Sender) {
        let descriptor = recipe.descriptor
        let settings = try descriptor.sampleSettings()
        return (try descriptor.make(settings), try descriptor.makeSender(settings))
    }

    @Test(arguments: [
        (EventType.paid, Effect.attempt(.paid, .of(4200, "MYR"))),
        (.failed, .attempt(.failed, .of(4200, "MYR"))), (.ignored, .none),
        (.refunded, .refund(id: "", .succeeded, .of(4200, "MYR"))),
        (.refundPending, .refund(id: "", .pending, .of(4200, "MYR"))),
        (.chargedBack, .dispute(id: "", .lost, .of(4200, "MYR"))),
    ])
    func `what is sent is what is read`(_ type: EventType, _ effect: Effect) throws {
        let (provider, sender) = try Self.parts()
        let event = SampleEvent.sample(type)
        let sent = try sender.sign(event, path: "/ipn")
        let read = try provider.receive(sent.delivery)
        #expect(read.kind == type.kind && read.status == type.status && read.flags.isEmpty)
        #expect(read.effect.amount == effect.amount)
        #expect(read.reference == "REQ-1" && read.occurred == event.occurred)
        if let id = read.effect.id { #expect(id.hasPrefix("act_")) }
        #expect(try sender.sign(event, path: "/ipn") == sent)
        #expect(sender.absence(of: type) == nil)
    }

    @Test func `constants give form and company to the facts`() throws {
        let (_, sender) = try Self.parts()
        let sent = try sender.sign(.sample(.paid, currency: "EUR"), path: "/ipn")
        let root = try JSONDocument(parsing: sent.body).root
        #expect(root.at(pointer: "/data/id")?.kind == .number)
        #expect(root.at(pointer: "/data/currency")?.string == "eur")
        #expect(root.at(pointer: "/list/0/a")?.isNull == true)
        #expect(root.at(pointer: "/kind")?.string == "payments")
        let krona = try sender.sign(.sample(.paid, minor: 500, currency: "ISK"), path: "/ipn")
        let amount = try JSONDocument(parsing: krona.body).root.at(pointer: "/data/amount")
        #expect(amount?.int64 == 50_000)
    }

    @Test func `what no word means is not sent`() throws {
        let (_, sender) = try Self.parts()
        #expect(throws: SenderError.unsupported(.captured)) {
            try sender.sign(.sample(.captured), path: "/ipn")
        }
        #expect(sender.absence(of: .captured) != nil)
        #expect(sender.publishedRetrySchedule == [.seconds(180), .seconds(3600)])
        #expect(sender.judge(status: 204, contentType: nil, body: []) == .accepted)
        #expect(sender.judge(status: 200, contentType: nil, body: []) != .accepted)
    }

    @Test func `the recipe's answers are given, and the usual ones else`() throws {
        let (provider, _) = try Self.parts()
        #expect(provider.answer(.accepted) == Answer(status: 204))
        #expect(provider.answer(.refused(.signatureMismatch)).status == 498)
        #expect(provider.answer(.refused(.malformed("x", "y"))).status == 400)
        #expect(provider.answer(.unavailable).status == 503)
    }

    @Test func `a fanned-out body is one that is read`() throws {
        var fields = FieldMapping(
            identity: ["/id"], reference: "/order", transaction: "/payment",
            status: .join(["/kind", "/action"], with: "."), statuses: ["payments.ok": .paid])
        fields.each = FieldMapping.FanOut("/events")
        fields.withoutAmount = true
        let recipe = RecipeShop.recipe(fields)
        let sender = try RecipeSender(recipe, settings: RecipeShop.settings())
        let provider = try RecipeProvider(recipe, settings: RecipeShop.settings())
        let sent = try sender.sign(.sample(.paid), path: "/ipn")
        let read = provider.notifications(in: try provider.verify(sent.delivery).evidence)
        #expect(read.map(\.effect) == [.attempt(.paid, nil)])
        #expect(read[0].reference == "REQ-1")
    }

    @Test func `form bodies and signatures in the body are written, too`() throws {
        let fields = RecipeShop.fields { $0.currency = .text("MYR") }
        var template = SignedTemplate(
            parts: SignedTemplate.parts(of: "{/order}|{/amount}|{secret}") ?? [])
        template.forms = ["/amount": .digits]
        var scheme = HMACScheme(at: .pointer("/sign"), content: template)
        scheme.kind = .hash
        let recipe = RecipeShop.recipe(fields, scheme: scheme) { $0.body = .form }
        let sender = try RecipeSender(recipe, settings: RecipeShop.settings())
        let provider = try RecipeProvider(recipe, settings: RecipeShop.settings())
        let sent = try sender.sign(.sample(.paid, reference: "A 1&b"), path: "/ipn")
        let read = try provider.receive(sent.delivery)
        #expect(read.reference == "A 1&b" && read.effect == .attempt(.paid, .of(4200, "MYR")))
        var damaged = sent.delivery
        damaged.bodyText = damaged.bodyText.replacing("amount=4200", with: "amount=4300")
        #expect(provider.refusal(damaged) == .signatureMismatch)
    }

    @Test func `a descriptor has a row for each setting`() throws {
        let descriptor = Self.recipe.descriptor
        #expect(
            descriptor.name == "shop"
                && descriptor.settings.map(\.key) == [
                    "keys", "references", "merchant", "mode", "notificationURL", "toleranceSeconds",
                ])
        #expect(descriptor.credential == .secret(.base64(bytes: 20)))
        #expect(descriptor.settings.map(\.isRequired) == [true, false, true, false, true, false])
        #expect(descriptor.secretsKey == "keys")
        let settings = try descriptor.sampleSettings()
        #expect(settings.secrets.count == 1 && settings["keys"] != nil)
        #expect(settings["secrets"] == nil)
        var other = settings
        other.secrets = [Array("b3RoZXIga2V5".utf8)]
        #expect(other["keys"] == .secrets([Array("b3RoZXIga2V5".utf8)]))
    }

    @Test(
        arguments: [
            ("merchant", nil), ("merchant", .integer(1)), ("merchant", ""),
            ("notificationURL", "pay.example"), ("references", .texts(["x"])),
            ("references", .texts([])), ("mode", "maybe"), ("toleranceSeconds", 0), ("keys", nil),
        ] as [(String, SettingValue?)])
    func `a setting that cannot work is named`(_ key: String, _ value: SettingValue?) throws {
        var settings = try Self.recipe.descriptor.sampleSettings()
        settings[key] = value
        do throws(SettingsError) {
            _ = try RecipeProvider(Self.recipe, settings: settings)
            Issue.record("accepted")
        } catch {
            #expect(error.key == key)
        }
    }
}
