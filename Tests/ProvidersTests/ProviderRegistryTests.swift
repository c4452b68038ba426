import Testing

@testable import Providers

@Suite struct ProviderRegistryTests {
    @Test func everySystemIsThereUnderItsName() {
        #expect(
            Set(ProviderRegistry.all.keys) == [
                "antom", "citcon-upi", "citcon-pay", "ecommpay", "opp", "standard-webhooks", "hmac",
            ])
        for (name, descriptor) in ProviderRegistry.all { #expect(descriptor.name == name) }
    }

    /// An endpoint of which nothing is configured is refused by each, with the key that is missing.
    @Test(arguments: ProviderRegistry.list.map(\.name))
    func nothingWorksWithoutSettings(_ name: String) throws {
        let descriptor = try #require(ProviderRegistry.all[name])
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

    @Test func freshSecretsDiffer() throws {
        for descriptor in ProviderRegistry.list {
            guard case .secret(let form) = descriptor.credential else { continue }
            let secrets = (0..<2).map { _ in form.fresh() }
            #expect(secrets[0] != secrets[1] && secrets[0].utf8.count >= 43)
        }
    }
}
