import ProviderFixtures
import Testing

@testable import Providers

/// The number of vectors of Stripe's, Slack's and Paddle's own libraries that
/// ``ProviderVectorTests`` checks.
@Suite struct HMACVectorTests {
    @Test func `all vectors of the file are checked`() throws {
        let vectors = try ProviderFixture.hmac.signedVectors()
        #expect(vectors.count { $0.isGenuine } >= 10)
        #expect(vectors.count { !$0.isGenuine } >= 20)
    }
}
