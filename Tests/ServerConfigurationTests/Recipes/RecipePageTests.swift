import TestSupport
import Testing

@testable import ServerConfiguration

/// config/recipes.md: its example is a recipe, and its tables have every word of the language.
@Suite struct RecipePageTests {
    private static let page = (try? SourceTree.text("config/recipes.md")) ?? ""
    private static let example = (try? SourceTree.text("config/recipes/brightpay.yaml")) ?? ""

    @Test func `the page shows the recipe that is tested`() throws {
        let blocks = Self.page.components(separatedBy: "```yaml\n").dropFirst()
        let shown = try #require(blocks.first?.components(separatedBy: "```").first)
        #expect(Self.example == "# The made-up sender of ../recipes.md.\n\(shown)")
        let file = RecipeFile(text: Self.example, name: "brightpay", isShipped: false)
        #expect(file.recipe?.title == "Brightpay" && file.findings.isEmpty, "\(file.findings)")
    }

    /// A recipe that has every section, with each form of what it may hold.
    private static let everySection = """
        provider: every
        settings:
          secrets: {kind: secrets}
          kind: {kind: word, oneOf: [a], help: h, account: {code: c, sentence: s}}
        hmac: {header: x-a}
        require: [{at: /a, equals: b, reason: c}]
        fields:
          status: {when: {at: /a, is: b}, of: {join: [/a, /b]}}
          method: {prefixed: a, of: /b}
          reason: {}
          statuses: {a: {is: paid, flags: []}}
          variants: [{when: /a, is: [b]}]
        answers: {accepted: {status: 200}}
        marks: {}
        samples: {ids: {}}
        """

    @Test func `the page has every word of the language`() throws {
        var words: Set<Substring> = []
        for text in [
            Self.everySection,
            Self.everySection.replacing("hmac: {header: x-a}", with: "token: {header: x-a}"),
            Self.everySection.replacing("status: {when", with: "status: {x"),
        ] {
            let reading = DecodingContext(file: "every.yaml", folder: "/", environment: [:])
            _ = RecipeFile.recipe(text, name: "every", isShipped: true, reading)
            words.formUnion(
                reading.knownKeys.compactMap { key in
                    key.split(separator: ".").last.map { $0.prefix { $0 != "[" } }
                })
        }
        #expect(words.count > 90)
        for word in words.sorted() {
            let pattern = try Regex("[^A-Za-z]\(word)[^A-Za-z]")
            #expect(Self.page.contains(pattern), "\(word)")
        }
    }
}
