import Providers

extension ProviderCatalog {
    /// The providers of the program itself: those written in Swift, and its recipes. Most commands
    /// read a configuration and so need it; its recipes are not checked each time, but by a test.
    package static let shipped = ProviderCatalog(
        ProviderRegistry.list + ShippedRecipe.all.compactMap { $0.unchecked?.descriptor })
}

/// A recipe in the program.
package struct ShippedRecipe: Sendable {
    package let name: String
    /// Its YAML, to copy from.
    package let text: String

    package static let all = ProviderRegistry.recipes.map {
        ShippedRecipe(name: $0.name, text: $0.text)
    }

    /// The recipe with what its check found.
    package var file: RecipeFile { RecipeFile(text: text, name: name, isShipped: true) }

    fileprivate var unchecked: Recipe? {
        let reading = DecodingContext(file: "\(name).yaml", folder: "/", environment: [:])
        return RecipeFile.recipe(text, name: name, isShipped: true, isChecked: false, reading)
    }
}
