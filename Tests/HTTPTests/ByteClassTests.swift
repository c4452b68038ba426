import Testing

@testable import HTTP

@Suite struct ByteClassTests {
    @Test func `field content is visible text white space and obs text`() {
        for byte in UInt8.min...UInt8.max {
            let expected = byte == 0x09 || byte >= 0x20 && byte != 0x7F
            #expect(ByteClass.isFieldContent(byte) == expected, "\(byte)")
        }
    }

    @Test func `hex digits have their value and nothing else has one`() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            let expected = byte < 0x80 ? character.hexDigitValue : nil
            #expect(ByteClass.hexValue(byte) == expected, "\(byte)")
        }
    }

    @Test func `only ASCII letters have lower case`() {
        for byte in UInt8.min...UInt8.max {
            let isUpper = (0x41...0x5A).contains(byte)
            #expect(ByteClass.lowercased(byte) == (isUpper ? byte + 0x20 : byte), "\(byte)")
        }
    }
}
