import Testing

@testable import HTTP

@Suite struct SpanFieldContentTests {
    /// Every octet at every place of a value that spans several words.
    @Test func `finds every control at every place`() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<19 {
                var bytes = [UInt8](repeating: 0x61, count: 19)
                bytes[place] = byte
                let expected = ByteClass.isFieldContent(byte) ? 19 : place
                #expect(bytes.span.firstNonFieldContent(from: 0, to: 19) == expected)
            }
        }
    }

    @Test func `reads nothing behind the end`() {
        let bytes = [UInt8](repeating: 0x61, count: 12) + [0x0D]
        #expect(bytes.span.firstNonFieldContent(from: 0, to: 12) == 12)
        #expect(bytes.span.firstNonFieldContent(from: 12, to: 12) == 12)
        #expect(bytes.span.firstNonFieldContent(from: 3, to: 13) == 12)
    }

    @Test func `takes obs text and tabs`() {
        let bytes = [UInt8](0x80...0xFF) + [0x09, 0x09, 0x20] + [UInt8](0x20...0x7E)
        let count = bytes.count
        #expect(bytes.span.firstNonFieldContent(from: 0, to: count) == count)
    }
}
