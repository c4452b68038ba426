import Providers

/// A recipe in the program, as the file that it is written in.
package struct ShippedRecipe: Sendable {
    package let name: String
    /// Its YAML, to copy from.
    package let text: String

    package static let all = ProviderRegistry.recipes.map {
        ShippedRecipe(name: $0.name, text: $0.text)
    }

    /// The recipe with what its check found.
    package var file: RecipeFile { RecipeFile(text: text, name: name, isShipped: true) }
}
