import Providers

extension ProviderCatalog {
    /// The providers of the program itself: those written in Swift, and its recipes. A shipped
    /// recipe that had a mistake would be left out; a test reads all of them.
    package static let shipped = ProviderCatalog(
        ProviderRegistry.list + ShippedRecipe.all.compactMap { $0.file.recipe?.descriptor })
}

/// A recipe in the program.
package struct ShippedRecipe: Sendable {
    package let name: String
    /// Its YAML, to copy from.
    package let text: String

    package static let all = ProviderRegistry.recipes.map {
        ShippedRecipe(name: $0.name, text: $0.text)
    }

    package var file: RecipeFile { RecipeFile(text: text, name: name, isShipped: true) }
}
