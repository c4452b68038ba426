import ServerConfiguration
import Testing

@Suite struct ShippedRecipeReadingTests {
    @Test(arguments: ShippedRecipe.all.map(\.name))
    func `every shipped recipe is read without a finding`(name: String) throws {
        let recipe = try #require(ShippedRecipe.all.first { $0.name == name })
        let findings = recipe.file.findings.map { "\($0)" }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }
}
