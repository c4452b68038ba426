import Testing

@testable import HTTP

@Suite struct ByteClassTests {
    @Test func fieldContentIsVisibleTextWhiteSpaceAndObsText() {
        for byte in UInt8.min...UInt8.max {
            let expected = byte == 0x09 || byte >= 0x20 && byte != 0x7F
            #expect(ByteClass.isFieldContent(byte) == expected, "\(byte)")
        }
    }

    @Test func hexDigitsHaveTheirValueAndNothingElseHasOne() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            let expected = byte < 0x80 ? character.hexDigitValue : nil
            #expect(ByteClass.hexValue(byte) == expected, "\(byte)")
        }
    }

    @Test func onlyASCIILettersHaveLowerCase() {
        for byte in UInt8.min...UInt8.max {
            let isUpper = (0x41...0x5A).contains(byte)
            #expect(ByteClass.lowercased(byte) == (isUpper ? byte + 0x20 : byte), "\(byte)")
        }
    }
}
