import Providers

/// Names in the examples of the commands' help.
enum ExampleName {
    /// An endpoint of the sandbox.
    static let endpoint = ProviderRegistry.list[0].sandboxName
    static let provider = ProviderRegistry.list[0].name
    /// An endpoint whose provider lists its events.
    static let listing = ProviderRegistry.listing
    /// A shipped recipe.
    static let recipe = ProviderRegistry.recipes.first?.name ?? ""
}
