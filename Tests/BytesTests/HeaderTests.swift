import Testing

@testable import Bytes

@Suite struct HeaderTests {
    @Test func areNamedWithoutCase() {
        let field = Header("X-Signature", "v")
        #expect(field.isNamed("x-signature"))
        #expect(!field.isNamed("x-signatur"))
        #expect(!field.isNamed("x_signature"))
    }

    /// Ignoring case by masking one bit would equate `[` with `{` and `@` with a grave accent.
    @Test func haveCaseOnlyInLetters() {
        #expect(!Header("A^", "").isNamed("a~"))
        #expect(!Header("\r", "").isNamed("-"))
    }

    @Test func canBeMadeWithoutAWire() {
        let field = Header("A", "b c")
        #expect(String(decoding: field.name, as: UTF8.self) == "A")
        #expect(String(decoding: field.value, as: UTF8.self) == "b c")
    }
}
