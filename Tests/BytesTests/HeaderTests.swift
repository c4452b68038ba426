import Testing

@testable import Bytes

@Suite struct HeaderTests {
    @Test func `are named without case`() {
        let field = Header("X-Signature", "v")
        #expect(field.isNamed("x-signature"))
        #expect(!field.isNamed("x-signatur"))
        #expect(!field.isNamed("x_signature"))
    }

    /// Ignoring case by masking one bit would equate `[` with `{` and `@` with a grave accent.
    @Test func `have case only in letters`() {
        #expect(!Header("A^", "").isNamed("a~"))
        #expect(!Header("\r", "").isNamed("-"))
    }

    @Test func `can be made without a wire`() {
        let field = Header("A", "b c")
        #expect(String(decoding: field.name, as: UTF8.self) == "A")
        #expect(String(decoding: field.value, as: UTF8.self) == "b c")
    }
}
