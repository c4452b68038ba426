import Foundation
import Providers
import TestSupport
import Testing

@testable import ServerConfiguration

/// The library and ipnd take a shipped recipe from its compiled form, which is JSON: that needs no
/// YAML parser. Here it is compared with the file.
///
/// `IPND_WRITE_TABLES=1 scripts/test --filter CompiledRecipes` writes the compiled forms anew.
@Suite struct CompiledRecipesTests {
    private static let folder = SourceTree.root.appending(
        path: "Sources/Providers/Recipes/Compiled")

    private static let writes = ProcessInfo.processInfo.environment["IPND_WRITE_TABLES"] == "1"

    @Test(arguments: ShippedRecipe.all.map(\.name))
    func `a compiled recipe is that of its file`(_ name: String) throws {
        let recipe = try #require(ShippedRecipe.all.first { $0.name == name }?.file.recipe)
        guard Self.writes else {
            #expect(
                Recipe.allShipped.first { $0.name == name } == recipe,
                "write it anew: IPND_WRITE_TABLES=1 scripts/test --filter CompiledRecipes")
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let file = Self.folder.appending(path: "\(name).json")
        try FileManager.default.createDirectory(
            at: Self.folder, withIntermediateDirectories: true)
        try (encoder.encode(recipe) + Data("\n".utf8)).write(to: file)
    }

    @Test(.disabled(if: writes)) func `no compiled recipe is left without its file`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(files) == Set(ShippedRecipe.all.map { "\($0.name).json" }))
    }
}
