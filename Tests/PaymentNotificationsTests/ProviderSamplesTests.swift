import PaymentNotifications
import Testing

/// The first code on each provider's page of the documentation.
@Suite struct ProviderSamplesTests {
    @Test(arguments: ProviderRegistry.names)
    func `the sample on the provider's page makes the provider`(_ name: String) throws {
        let make = try #require(ProviderSamples.all[name])
        let provider = try make(ProviderSamples(publicKey: AntomSample().publicKey))
        #expect(provider.answer(.accepted).status < 300)
    }
}
