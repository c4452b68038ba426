import Providers
import Testing

@testable import ServerConfiguration

/// Each mistake in a recipe is reported at its line, with a remedy.
@Suite struct RecipeMistakeTests {
    /// A replacement in the small recipe, and the key and line of the one finding that it makes.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let old: String
        let new: String
        let key: String
        let line: Int

        init(_ old: String, _ new: String, _ key: String, _ line: Int) {
            self.old = old
            self.new = new
            self.key = key
            self.line = line
        }

        var testDescription: String { new.isEmpty ? "without \(old)" : new }
    }

    @Test(arguments: [
        Mistake("title: Acme Pay", "titel: Acme Pay", "titel", 2),
        Mistake("title: Acme Pay\n", "", "title", 1),
        Mistake("marks: {headers: [[x-acme-signature]]}", "", "marks", 1),
        Mistake("[[x-acme-signature]]", "[]", "marks", 34),
        Mistake("provider: acme", "provider: other", "provider", 1),
        Mistake("provider: acme", "provider: Acme Pay", "provider", 1),
        Mistake("kind: mode", "kind: modus", "settings.mode.kind", 7),
        Mistake("  mode:", "  modus:", "settings.modus", 7),
        Mistake(", help: \"the merchant's id\"", "", "settings.merchantID.help", 8),
        Mistake("default: 300", "default: 0", "settings.toleranceSeconds.default", 6),
        Mistake("default: [/data/order]", "default: [data]", "settings.references.default[0]", 9),
        Mistake("kind: secrets,", "kind: secret,", "settings.secrets.kind", 5),
        Mistake("  secrets: {", "  tokens: {", "settings.secrets", 5),
        Mistake("{body}\"", "{bdy}\"", "hmac.signs", 12),
        Mistake("\"{timestamp}.{body}\"", "\"{timestamp}.{/a~2}\"", "hmac.signs", 12),
        Mistake(
            "equals: {setting: merchantID}", "equals: {setting: merchant}",
            "require[0].equals", 15),
        Mistake("reason: merchant_mismatch", "reason: wrong merchant", "require[0].reason", 15),
        Mistake("identity: [/id]", "identity: [id]", "fields.identity[0]", 17),
        Mistake("status: /type", "staus: /type", "fields.staus", 20),
        Mistake("  currency: /data/currency\n", "", "fields.currency", 17),
        Mistake("  amount: /data/amount\n", "", "fields.amount", 17),
        Mistake("payment.done: paid", "payment.done: payed", "fields.statuses.payment.done", 26),
        Mistake("\"payout.*\": ignored", "\"*\": paid", "fields.statuses.*", 28),
        Mistake("\"payout.*\": ignored", "\"p*out\": ignored", "fields.statuses.p*out", 28),
        Mistake("is: [false]", "is: [false], not: [a]", "fields.test[0].not", 24),
        Mistake("  test: [{at: /live, is: [false]}]\n", "", "settings.mode", 7),
        Mistake(
            "reference: {setting: references}", "reference: {setting: reference}",
            "fields.reference", 18),
        Mistake(
            "reference: {setting: references}", "reference: {root: /a}", "fields.reference", 18),
        Mistake(
            "reference: {setting: references}", "reference: {header: x-a}", "fields.reference", 18),
        Mistake("status: /type", "status: {header: x-event}", "fields.status", 20),
        Mistake("[/data/payment, /data/id]", "{prefixed: a}", "fields.transaction.of", 19),
        Mistake(
            "[/data/payment, /data/id]", "{join: [/a], with: x}", "fields.transaction.join", 19),
        Mistake("[/data/payment, /data/id]", "{optional: /a}", "fields.transaction.optional", 19),
        Mistake("[/data/payment, /data/id]", "{txt: a}", "fields.transaction.txt", 19),
        Mistake("occurred: /created", "unsigned: [/data]", "fields.amount", 21),
    ])
    func `a mistake is reported at its key and line`(_ mistake: Mistake) {
        let findings = RecipeText.findings(mistake.old, mistake.new)
        let found = findings.first { $0.key == mistake.key }
        #expect(found != nil, "\(findings)")
        #expect(found?.line == mistake.line, "\(findings)")
        #expect(found?.severity == .mistake && found?.remedy.isEmpty == false)
        #expect(found?.file == "acme.yaml")
    }

    @Test func `a variant that an earlier one hides is reported`() throws {
        let findings = RecipeText.findings(
            "marks:",
            """
                - when: [{at: /type, is: [refund.done]}, {at: /kind, is: [a]}]
                  statuses: {refund.done: refunded}
            marks:
            """)
        let found = try #require(findings.first)
        #expect(findings.count == 1 && found.key == "fields.variants[1]" && found.line == 34)
        #expect(found.problem.contains("fields.variants[0]"))
    }

    @Test func `a hash covers only what it names`() {
        let findings = RecipeFile(
            text: RecipeText.acme.replacing(
                "  signs: \"{timestamp}.{body}\"\n  timestampHeader: x-acme-time",
                with: "  signs: \"{/id}.{/type}.{/data/amount}\""),
            name: "acme", isShipped: true
        ).findings
        #expect(findings.contains { $0.key == "fields.transaction" })
        #expect(findings.contains { $0.key == "fields.currency" })
        #expect(!findings.contains { $0.key == "fields.amount" || $0.key == "fields.status" })
    }

    @Test func `an unsigned word may only make an order look worse`() {
        let text = RecipeText.acme
            .replacing("occurred: /created", with: "unsigned: [/state]")
            .replacing("when: /type", with: "when: /state")
        let good = text.replacing("refund.failed: refund_failed", with: "refund.failed: failed")
        #expect(RecipeFile(text: good, name: "acme", isShipped: true).findings.isEmpty)
        let bad = RecipeFile(text: text, name: "acme", isShipped: true).findings
        #expect(bad.map(\.key) == ["fields.variants[0].when"])
    }

    @Test(arguments: [
        ("", "the file is empty"), ("[]", "the file is a list, not keys with values"),
        ("a: b: c", "this is not YAML"),
    ])
    func `a file that is no recipe says so`(_ text: String, _ problem: String) {
        let file = RecipeFile(text: text, name: "acme", isShipped: true)
        #expect(file.recipe == nil && file.findings.count == 1)
        #expect(file.findings[0].problem.hasPrefix(problem))
    }

    @Test func `every shipped recipe is free of mistakes and warnings`() {
        for recipe in ShippedRecipe.all {
            let file = recipe.file
            #expect(file.recipe != nil && file.findings.isEmpty, "\(file.findings)")
        }
        let names = Set(ProviderCatalog.shipped.names)
        #expect(names.isSuperset(of: ShippedRecipe.all.map(\.name)))
    }
}
