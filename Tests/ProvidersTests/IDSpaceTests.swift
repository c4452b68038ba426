import Payments
import Testing

@testable import Providers

/// A provider says whether its ids are unique within one reference only. Where they are, two
/// references can't be tries of one order: their payments may have the same id.
@Suite struct IDSpaceTests {
    @Test func `what a provider says of its ids is what its notifications say`() throws {
        let pairs = try SenderTests.pairs()
        for pair in pairs {
            let sent = try pair.sender.sign(.sample(.paid), path: "/ipn")
            let read = try pair.provider.receive(sent.delivery)
            #expect(
                pair.provider.idsAreOfReference == (read.ids == .reference), "\(pair.name)")
        }
        #expect(pairs.contains { $0.provider.idsAreOfReference })
    }

    @Test(arguments: [FieldMapping.Scope.account, .reference])
    func `the scope in an endpoint's fields decides`(_ scope: FieldMapping.Scope) throws {
        let fields = RecipeShop.fields { $0.scope = scope }
        let isOfReference = scope == .reference
        let recipe = try RecipeProvider(
            RecipeShop.recipe(fields), settings: RecipeShop.settings())
        #expect(recipe.idsAreOfReference == isOfReference)
        let hmac = try HMACWebhookTests.provider(HMACScheme(header: "x-sign"), fields: fields)
        #expect(hmac.idsAreOfReference == isOfReference)
        let standard = try StandardWebhooksTests.provider(fields: fields)
        #expect(standard.idsAreOfReference == isOfReference)
        #expect(try !StandardWebhooksTests.provider().idsAreOfReference)
    }
}
