import Payments
import ProviderFixtures
import TestSupport
import Testing

@testable import Providers

/// Signatures that were made without ipnd verify, and those of changed requests do not.
@Suite struct ProviderVectorTests {
    @Test(arguments: ProviderFixture.all)
    func `vectors verify and their negatives are refused`(_ fixture: ProviderFixture) throws {
        let vectors = try fixture.signedVectors()
        #expect(vectors.contains { $0.isGenuine } && vectors.contains { !$0.isGenuine })
        for vector in vectors {
            let refusal = try fixture.descriptor.make(vector.settings).refusal(vector.delivery)
            #expect((refusal == nil) == vector.isGenuine, "\(vector.name)")
        }
    }

    /// As the fuzz target `notification` does, which needs a separate build.
    @Test(arguments: ProviderFixture.all)
    func `an authentic body of any bytes is read as the same each time`(
        _ fixture: ProviderFixture
    ) {
        var random = SeededGenerator(seed: 9)
        let bodies =
            HostileBody.all.map(\.bytes) + (0..<100).map { random.bytes($0) }
            + ["{}", "[]", "null", #"{"payment":{}}"#].map { Array($0.utf8) }
        for body in bodies {
            let readings = fixture.readings(body)
            #expect(readings == fixture.readings(body))
            for notification in readings {
                #expect(!notification.id.isEmpty)
                let counts = notification.effect != .none && notification.effect != .doubt
                #expect(!counts || !notification.flags.contains(.notUnderstood))
            }
        }
    }
}

extension ProviderFixture {
    func signedVectors() throws -> [SignedVector] {
        switch try #require(vectors) {
        case .file(let name, let read): try read(VectorFile.load(name))
        case .values(let vectors): vectors
        }
    }
}
