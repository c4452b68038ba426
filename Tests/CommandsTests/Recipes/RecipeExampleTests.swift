import Providers
import ServerConfiguration
import TestSupport
import Testing

@testable import Commands

/// The worked example of config/recipes.md.
@Suite struct RecipeExampleTests {
    @Test func `the example passes its vectors with the words that the page shows`() throws {
        let file = RecipeFile(path: SourceTree.url("config/recipes/brightpay.yaml").path)
        let recipe = try #require(file.recipe, "\(file.findings)")
        let vectors = try VectorFile.read(
            SourceTree.url("config/recipes/brightpay.json").path)
        let report = VectorRun(recipe.descriptor).report(on: vectors)
        #expect(report.isPassed, "\(report.text)")
        let page = try SourceTree.text("config/recipes.md")
        #expect(page.contains("```text\n\(report.text)\n```"))
    }

    @Test(arguments: [
        ["recipe", "check", "a.yaml"], ["recipe", "list"], ["recipe", "show", "a"],
        ["recipe", "test", "a.yaml", "--vectors", "a.json"],
    ])
    func `the commands are parsed`(_ arguments: [String]) throws {
        _ = try Ipnd.parseAsRoot(arguments)
    }
}
