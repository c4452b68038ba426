import JSON

extension Recipe {
    /// The recipes of the program, sorted by name.
    ///
    /// They are read from their compiled form, which is JSON: the YAML of a recipe's file needs a
    /// parser that the library does not link. `CompiledRecipesTests` writes that form and compares
    /// it with the files.
    package static let allShipped: [Recipe] = ProviderRegistry.recipes.compactMap { recipe in
        guard let document = try? JSONDocument(parsing: Array(recipe.compiled.utf8)) else {
            return nil
        }
        return try? JSONValueDecoder.decode(Recipe.self, from: document.root)
    }

    /// The recipe of the program with this name, which must exist.
    package static func shipped(_ name: String) -> Recipe {
        guard let recipe = allShipped.first(where: { $0.name == name }) else {
            preconditionFailure("there is no recipe \(name), or it is not compiled")
        }
        return recipe
    }
}

extension ProviderCatalog {
    /// The providers of the program itself: those written in Swift, and its recipes.
    package static let shipped = ProviderCatalog(
        ProviderRegistry.list + Recipe.allShipped.map(\.descriptor))
}
