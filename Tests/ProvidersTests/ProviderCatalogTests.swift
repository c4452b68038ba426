import Testing

@testable import Providers

@Suite struct ProviderCatalogTests {
    @Test func `a recipe of the merchant's takes the place of the program's`() throws {
        let shipped = ProviderCatalog.shipped
        let name = try #require(ProviderRegistry.recipes.first?.name)
        var own = Recipe.shipped(name).descriptor
        own.sandboxName = "mine"
        let catalog = shipped.adding(own)
        #expect(catalog.names == shipped.names)
        #expect(catalog.list.map(\.name) == shipped.names)
        #expect(catalog[name]?.sandboxName == "mine")
        #expect(shipped[name]?.sandboxName != "mine")
    }

    @Test func `every provider is found by its name`() {
        let shipped = ProviderCatalog.shipped
        #expect(shipped.names.count == ProviderRegistry.list.count + ProviderRegistry.recipes.count)
        for name in shipped.names { #expect(shipped[name]?.name == name) }
        #expect(shipped["unknown"] == nil)
        #expect(shipped.markFields.isSuperset(of: ProviderCatalog.written.markFields))
        #expect(shipped.markFields.count > ProviderCatalog.written.markFields.count)
    }
}
