import Bytes
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("%41", "A"), ("a%2Fb%2fc", "a/b/c"), ("%2B+%2b", "+++"),
        ("%25%32%46", "%2F"), ("%00", "\u{0}"), ("%C3%A9", "é"),
    ])
    func `decodes escapes and nothing else`(text: String, decoded: String) {
        #expect(PercentEncoding.decode(Array(text.utf8)[...]) == Array(decoded.utf8))
    }

    @Test(arguments: ["%", "a%", "%4", "%%", "%4g", "%g4", "% 4", "%+4", "abc%2"])
    func `refuses a broken escape`(text: String) {
        #expect(PercentEncoding.decode(Array(text.utf8)[...]) == nil)
    }

    @Test func `an escape may not reach behind the slice`() {
        let text = Array("%41%42".utf8)
        #expect(PercentEncoding.decode(text[..<5]) == nil)
        #expect(PercentEncoding.decode(text[3...]) == [0x42])
    }

    @Test func `every byte comes back`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = PercentEncoding.encode(bytes)
        #expect(PercentEncoding.decode(Array(text.utf8)[...]) == bytes)
        #expect(PercentEncoding.encode(Array("aZ09-._~ +/=".utf8)) == "aZ09-._~%20%2B%2F%3D")
    }
}
