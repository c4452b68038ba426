import Cryptography
import Testing

@Suite struct SecureRandomTests {
    @Test func `gives the length asked for`() {
        #expect(secureRandomBytes(0).isEmpty)
        #expect(secureRandomBytes(33).count == 33)
    }

    @Test func `never gives the same twice`() {
        #expect(secureRandomBytes(16) != secureRandomBytes(16))
    }
}
