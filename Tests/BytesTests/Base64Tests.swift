import Bytes
import Testing

@Suite struct Base64Tests {
    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `encodes and decodes the published examples`(bytes: String, text: String) {
        #expect(Base64.encode(Array(bytes.utf8)) == text)
        #expect(Base64.decode(strict: Array(text.utf8)[...]) == Array(bytes.utf8))
    }

    @Test func `every byte and length comes back`() {
        for length in 0..<260 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ length) }
            let text = Array(Base64.encode(bytes).utf8)
            #expect(Base64.decode(strict: text[...]) == bytes)
        }
        #expect(Base64.encode([0xfb, 0xff, 0xfe]) == "+//+")
    }

    @Test func `a slice is read from its own start`() {
        let text = Array("xxZm9vYg==yy".utf8)
        #expect(Base64.decode(strict: text[2..<10]) == Array("foob".utf8))
    }

    @Test(arguments: [
        // Padding missing, too short, too long, or in the wrong place.
        "Zg", "Zg=", "Zm8", "Zg===", "Zg======", "Z===", "====", "=", "Zg==Zg==", "Zm=v", "=m9v",
        "Zm9vZg=a", "Zm9vZ=g=",
        // Non-zero bits after the last byte.
        "Zh==", "Zm9=", "ZmB=", "Z/==",
        // White space, the URL alphabet, other bytes.
        "Zm9v\n", "Zm 9v", " Zm9v", "Zm9v\r\nZm9v", "-_-_", "Zm9*", "Zm9\u{0}", "Zm9é",
    ])
    func `refuses what is not canonical`(text: String) {
        #expect(Base64.decode(strict: Array(text.utf8)[...]) == nil)
    }

    /// For one digit of a full group, exactly the alphabet's 64 bytes are accepted.
    @Test(arguments: 0..<4)
    func `accepts the alphabet only`(position: Int) {
        let accepted = (0...255).filter { byte in
            var text = Array("AAAAAAAA".utf8)
            text[position] = UInt8(byte)
            return Base64.decode(strict: text[...]) != nil
        }
        #expect(accepted.count == 64)
    }

    /// The last digit of a short group has four or two unused bits, which must be zero.
    @Test(arguments: [("A?==", 4), ("AA?=", 16)])
    func `accepts zeros only behind the last byte`(pattern: String, count: Int) {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let accepted = alphabet.filter { digit in
            let text = pattern.replacing("?", with: String(digit))
            return Base64.decode(strict: Array(text.utf8)[...]) != nil
        }
        #expect(accepted.count == count)
    }
}
