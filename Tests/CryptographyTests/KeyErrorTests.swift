import Cryptography
import Testing

@Suite struct KeyErrorTests {
    static let all: [KeyError] = [
        .empty, .privateKeyGiven, .publicKeyGiven, .certificateGiven, .encrypted, .notBase64,
        .malformed, .notRSA, .tooSmall, .tooLarge, .badExponent,
        .wrongLength(expected: 32, given: 31), .operationFailed,
    ]

    @Test(arguments: all)
    func `has a sentence and a code`(error: KeyError) {
        #expect(error.description.hasSuffix("."))
        #expect(error.reason.hasPrefix("key_"))
        #expect(error.reason.allSatisfy { $0.isLowercase || $0 == "_" || $0.isNumber })
    }

    @Test func `no two cases share a code`() {
        #expect(Set(Self.all.map(\.reason)).count == Self.all.count)
    }
}
