import Testing

@testable import HTTP

@Suite("Field lines")
struct FieldTests {
    @Test func areNamedWithoutCase() {
        let field = Field(name: "X-Signature", value: "v")
        #expect(field.isNamed("x-signature"))
        #expect(!field.isNamed("x-signatur"))
        #expect(!field.isNamed("x_signature"))
    }

    /// A mask of one bit for case would take `[` for `{` and `@` for a grave accent.
    @Test func haveCaseOnlyInLetters() {
        #expect(!Field(name: "A^", value: "").isNamed("a~"))
        #expect(!Field(name: "\r", value: "").isNamed("-"))
    }

    @Test func canBeMadeWithoutAWire() {
        let field = Field(name: "A", value: "b c")
        #expect(text(field.name) == "A")
        #expect(text(field.value) == "b c")
    }
}
