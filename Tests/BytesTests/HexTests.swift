import Bytes
import Testing

@Suite struct HexTests {
    @Test func `every byte comes back in either case`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hex.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.decode(text.uppercased()) == bytes)
        #expect(Hex.decode(Array("xxCe5F".utf8)[2...]) == [0xce, 0x5f])
    }

    @Test(arguments: [
        "0", "abc", "0g", "g0", " 0", "0x00", "00 ", "+1", "é", "@@", "``", "//", "::",
    ])
    func `refuses anything else`(text: String) {
        #expect(Hex.decode(text) == nil)
    }

    /// An invalid character at any place of a text of any length is found.
    @Test func `one stranger is enough`() {
        for count in stride(from: 2, to: 66, by: 2) {
            let text = [UInt8](repeating: UInt8(ascii: "a"), count: count)
            #expect(Hex.decode(text[...])?.count == count / 2)
            for place in text.indices {
                var other = text
                other[place] = UInt8(ascii: "g")
                #expect(Hex.decode(other[...]) == nil)
            }
        }
    }
}
