import Foundation
import PackagePlugin

/// Writes the recipes of a target's folder `Recipes` into a Swift file, by name, so that a recipe
/// is shipped as soon as its file is there.
@main struct EmbedRecipes: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let target = target as? SourceModuleTarget else { return [] }
        let folder = target.directoryURL.appending(path: "Recipes")
        let recipes = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "yaml" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        let script = context.package.directoryURL.appending(path: "scripts/embed-recipes")
        let output = context.pluginWorkDirectoryURL.appending(path: "ShippedRecipes.swift")
        return [
            .buildCommand(
                displayName: "Embedding recipes", executable: URL(filePath: "/bin/sh"),
                arguments: [script.path(), output.path()] + recipes.map { $0.path() },
                inputFiles: recipes + [script], outputFiles: [output])
        ]
    }
}
