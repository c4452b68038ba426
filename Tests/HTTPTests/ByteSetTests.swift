import Testing

@testable import HTTP

@Suite struct ByteSetTests {
    private static let alphanumeric =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let unreserved = alphanumeric + "-._~"

    private static let spelled: [(ByteSet, String)] = [
        (.token, "!#$%&'*+-.^_`|~\(alphanumeric)"),
        (.target, "\(unreserved):/?[]@!$&'()*+,;=%"),
        (.registeredName, "\(unreserved)!$&'()*+;=%"),
        (.ipv6Literal, "0123456789abcdefABCDEF:."),
    ]

    /// Compares each literal with the RFC's own spelling.
    @Test(arguments: spelled)
    func `hold exactly their characters`(_ set: ByteSet, _ characters: String) {
        let members = Set(characters.utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(set.contains(byte) == members.contains(byte), "\(byte)")
        }
    }

    @Test func `quoted text is all but controls quote and backslash`() {
        for byte in UInt8.min...UInt8.max {
            let expected =
                byte == 0x09 || (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x5C
            #expect(ByteSet.quotedText.contains(byte) == expected, "\(byte)")
        }
    }
}
