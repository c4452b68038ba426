import JSON
import Testing

@Suite struct UTF8SequenceTests {
    /// Every lead byte with every second byte and the boundary values of the table after them,
    /// compared with the standard library's decoder.
    @Test(arguments: UInt8.min...UInt8.max)
    func `UTF-8 agrees with the standard library`(first: UInt8) {
        var disagreements: [[UInt8]] = []
        func check(_ bytes: [UInt8]) {
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            if JSONWriter.isValidUTF8(bytes[...]) != isValid { disagreements.append(bytes) }
        }
        check([first])
        let edges: [UInt8] = [0x7F, 0x80, 0xBF, 0xC0]
        for second in UInt8.min...UInt8.max {
            check([first, second])
            for third in edges {
                check([first, second, third])
                for fourth in edges { check([first, second, third, fourth]) }
            }
        }
        #expect(disagreements.isEmpty)
    }

    @Test(arguments: 0...17)
    func `UTF-8 is judged alike wherever it stands among the words`(offset: Int) {
        let before = [UInt8](repeating: 0x61, count: offset)
        let after = [UInt8](repeating: 0x62, count: 17 - offset)
        #expect(JSONWriter.isValidUTF8((before + [0xE2, 0x82, 0xAC] + after)[...]))
        #expect(!JSONWriter.isValidUTF8((before + [0xE2, 0x82] + after)[...]))
        #expect(!JSONWriter.isValidUTF8((before + [0xC0, 0x80] + after)[...]))
    }

    @Test func `UTF-8 is checked within a slice's own bounds`() {
        let bytes: [UInt8] = [0xFF, 0x61, 0xC3, 0xA9, 0xFF]
        #expect(JSONWriter.isValidUTF8(bytes[1..<4]))
        #expect(!JSONWriter.isValidUTF8(bytes[1..<3]))
        #expect(JSONWriter.isValidUTF8([]))
    }
}
