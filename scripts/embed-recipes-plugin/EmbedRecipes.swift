import Foundation
import PackagePlugin

/// Writes the recipes of a target's folder `Recipes` into a Swift file, by name, with their
/// compiled forms in `Recipes/Compiled`.
@main struct EmbedRecipes: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let target = target as? SourceModuleTarget else { return [] }
        let folder = target.directoryURL.appending(path: "Recipes")
        let recipes = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "yaml" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        let compiled = recipes.map { recipe in
            folder.appending(path: "Compiled").appending(
                path: recipe.deletingPathExtension().lastPathComponent + ".json")
        }.filter { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }
        let script = context.package.directoryURL.appending(
            path: "scripts/embed-recipes-plugin/embed")
        let output = context.pluginWorkDirectoryURL.appending(path: "ShippedRecipes.swift")
        return [
            .buildCommand(
                displayName: "Embedding recipes", executable: URL(filePath: "/bin/sh"),
                // As they are: a folder's name may have a space.
                arguments: ([script, output] + recipes).map { $0.path(percentEncoded: false) },
                inputFiles: recipes + compiled + [script], outputFiles: [output])
        ]
    }
}
