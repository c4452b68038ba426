import Payments
import ProviderFixtures
import Testing

@testable import Providers

@Suite struct ProviderRegistryTests {
    @Test func `every provider has a fixture, and is registered under its name`() {
        let names = (ProviderFixture.all + ProviderFixture.unlike).map(\.name)
        #expect(Set(ProviderCatalog.shipped.names) == Set(names))
        #expect(ProviderCatalog.shipped.list.count == names.count)
        for (name, descriptor) in ProviderRegistry.all { #expect(descriptor.name == name) }
        let published: Set = [
            "antom", "citcon-upi", "citcon-pay", "ecommpay", "opp", "standard-webhooks", "hmac",
        ]
        #expect(published.isSubset(of: ProviderRegistry.all.keys), "a name in configurations")
    }

    /// The error names the setting that is missing.
    @Test(arguments: ProviderFixture.all)
    func `an endpoint without settings is refused`(_ fixture: ProviderFixture) throws {
        let descriptor = try #require(ProviderCatalog.shipped[fixture.name])
        do throws(SettingsError) {
            _ = try descriptor.make(EndpointSettings(name: "x"))
            Issue.record("accepted")
        } catch {
            #expect(descriptor.keys().contains(error.key))
        }
        #expect(throws: SettingsError.self) {
            try descriptor.makeSender(EndpointSettings(name: "sender"))
        }
    }

    @Test(arguments: ProviderFixture.all)
    func `fresh secrets differ, and both sides work with one`(_ fixture: ProviderFixture) throws {
        guard case .secret(let form) = fixture.descriptor.credential else { return }
        let secrets = (0..<2).map { _ in form.fresh() }
        #expect(secrets[0] != secrets[1] && secrets[0].utf8.count >= 43)
        var settings = fixture.endpoint.settings
        settings.secrets = [Array(secrets[0].utf8)]
        let outbound = try fixture.descriptor.makeSender(settings)
            .sign(.sample(.paid), path: "/ipn")
        #expect(try fixture.descriptor.make(settings).refusal(outbound.delivery) == nil)
        settings.secrets = [Array(secrets[1].utf8)]
        let refusal = try fixture.descriptor.make(settings).refusal(outbound.delivery)
        #expect(refusal?.kind == .unauthenticated)
    }
}
