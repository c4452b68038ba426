import Cryptography
import Testing

@Suite struct SecureRandomTests {
    @Test func givesTheLengthAskedFor() {
        #expect(secureRandomBytes(0).isEmpty)
        #expect(secureRandomBytes(33).count == 33)
    }

    @Test func neverGivesTheSameTwice() {
        #expect(secureRandomBytes(16) != secureRandomBytes(16))
    }
}
