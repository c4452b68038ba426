import JSON
import Synchronization

extension Recipe {
    /// The recipes of the program, sorted by name.
    package static var allShipped: [Recipe] {
        ProviderRegistry.recipes.compactMap { shipped(named: $0.name) }
    }

    /// The recipe of the program with this name, which must exist.
    package static func shipped(_ name: String) -> Recipe {
        guard let recipe = shipped(named: name) else {
            preconditionFailure("there is no recipe \(name), or it is not compiled")
        }
        return recipe
    }

    /// The recipe of the program with this name, read when it is first asked for. A server has
    /// endpoints of a few; reading all of them was a fifth of the work of `ipnd check`.
    ///
    /// Recipes are read from their compiled form, which is JSON: the YAML of a recipe's file needs
    /// a parser that the library does not link. `CompiledRecipesTests` writes that form and
    /// compares it with the files.
    private static func shipped(named name: String) -> Recipe? {
        known.withLock { known in
            if let recipe = known[name] { return recipe }
            guard
                let compiled = ProviderRegistry.recipes.first(where: { $0.name == name })?.compiled,
                let document = try? JSONDocument(parsing: Array(compiled.utf8))
            else { return nil }
            let recipe = try? JSONValueDecoder.decode(Recipe.self, from: document.root)
            known[name] = recipe
            return recipe
        }
    }

    private static let known = Mutex<[String: Recipe]>([:])
}

extension ProviderCatalog {
    /// The providers of the program itself: those written in Swift, and its recipes.
    package static let shipped = ProviderCatalog(
        ProviderRegistry.list, recipes: ProviderRegistry.recipes.map(\.name))
}
