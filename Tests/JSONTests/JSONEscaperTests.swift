import Testing

@testable import JSON

/// Compares the escaper that works on words with one that works on bytes.
@Suite struct JSONEscaperTests {
    private static func plain(_ bytes: ArraySlice<UInt8>, isLatin1: Bool) -> [UInt8] {
        let short: [UInt8: String] = [
            0x08: #"\b"#, 0x09: #"\t"#, 0x0A: #"\n"#, 0x0C: #"\f"#, 0x0D: #"\r"#, 0x22: #"\""#,
            0x5C: #"\\"#,
        ]
        return bytes.flatMap { byte -> [UInt8] in
            if let text = short[byte] { return Array(text.utf8) }
            if byte < 0x20 {
                let digits = String(byte, radix: 16)
                return Array((digits.utf8.count == 1 ? #"\u000"# : #"\u00"#).utf8) + digits.utf8
            }
            if isLatin1 { return Array(String(Unicode.Scalar(byte)).utf8) }
            return [byte]
        }
    }

    /// Writes with exactly the required room; bytes after it must not change.
    private static func escaped(_ bytes: ArraySlice<UInt8>, isLatin1: Bool) -> [UInt8]? {
        let room = bytes.count * 6 + 8
        var target = [UInt8](repeating: 0xAA, count: room + 16)
        let count = target.withUnsafeMutableBufferPointer { buffer -> Int in
            guard let start = buffer.baseAddress else { return 0 }
            let end =
                isLatin1
                ? JSONWriter.escape(latin1: bytes.span, to: start)
                : JSONWriter.escape(utf8: bytes.span, to: start)
            return end - start
        }
        guard target[room...].allSatisfy({ $0 == 0xAA }) else { return nil }
        return Array(target[..<count])
    }

    /// Every length up to 100 from every place within a word, of bytes of these kinds.
    @Test(arguments: [
        [UInt8](0x20...0x7F), Array(#"{"ab\"#.utf8), [UInt8](0...0x2F), [UInt8](0x7E...0xFF),
        [0x22], [0x5C], [0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xA2],
        [UInt8](0...0xFF),
    ])
    func `writes what an escaper byte by byte writes`(alphabet: [UInt8]) {
        var random: UInt64 = 42
        for length in 0...100 {
            for start in 0..<8 {
                let bytes = (0..<start + length).map { _ -> UInt8 in
                    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return alphabet[Int(random >> 33) % alphabet.count]
                }
                for isLatin1 in [false, true] {
                    let expected = Self.plain(bytes[start...], isLatin1: isLatin1)
                    #expect(Self.escaped(bytes[start...], isLatin1: isLatin1) == expected)
                }
            }
        }
    }

    /// A mark must not depend on neighbouring bytes.
    @Test func `the escaper marks each byte for itself`() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let bytes: [UInt8] = [0x61, first, second, 0x62, 0x63, 0x64, 0x65, second, first]
                for isLatin1 in [false, true] {
                    let expected = Self.plain(bytes[...], isLatin1: isLatin1)
                    #expect(Self.escaped(bytes[...], isLatin1: isLatin1) == expected)
                }
            }
        }
    }
}
