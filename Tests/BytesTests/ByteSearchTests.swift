import Bytes
import Testing

@Suite struct ByteSearchTests {
    /// Each byte at each place of a text longer than two words, among others that differ from it in
    /// one bit or by one.
    @Test func `finds the first one`() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<20 {
                var text = (0..<20).map { [byte ^ 1, byte ^ 0x80, byte &+ 1, byte &- 1][$0 % 4] }
                #expect(text.span.firstOffset(of: byte) == nil)
                text[place] = byte
                text[19] = byte
                #expect(text.span.firstOffset(of: byte) == place)
                #expect(text.span.firstOffset(of: byte, from: place) == place)
                #expect(
                    text.span.firstOffset(of: byte, from: place + 1) == (place == 19 ? nil : 19))
                #expect(text.span.firstOffset(of: byte, from: 20) == nil)
            }
        }
    }
}
