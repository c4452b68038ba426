import Cryptography
import Testing

@Suite struct ConstantTimeTests {
    @Test func `equal bytes are equal`() {
        #expect(constantTimeEqual([], []))
        #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
    }

    @Test func `every flipped bit is seen`() {
        let bytes = [UInt8](repeating: 0x5a, count: 32)
        for bit in 0..<256 {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(!constantTimeEqual(bytes, other))
        }
    }

    @Test func `a prefix is not equal`() {
        #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
        #expect(!constantTimeEqual([], [0]))
    }
}
