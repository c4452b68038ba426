import JSON
import Testing

@Suite struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `the writer puts commas where they belong`() {
        let text = written { writer in
            writer.beginObject()
            writer.key("a")
            writer.beginArray()
            writer.endArray()
            writer.key("b" as String)
            writer.beginArray()
            writer.integer(1)
            writer.beginObject()
            writer.endObject()
            writer.string("x")
            writer.boolean(true)
            writer.boolean(false)
            writer.null()
            writer.raw(Array("2.50".utf8)[...])
            writer.endArray()
            writer.key("c" as StaticString)
            writer.beginObject()
            writer.key("d" as StaticString)
            writer.null()
            writer.endObject()
            writer.endObject()
        }
        #expect(text == #"{"a":[],"b":[1,{},"x",true,false,null,2.50],"c":{"d":null}}"#)
    }

    @Test func `the writer writes members objects and arrays`() {
        let missing: String? = nil
        let text = written { writer in
            writer.object {
                $0.member("text", "a\"b")
                $0.member("int", 1)
                $0.member("int64", Int64.min)
                $0.member("flag", true)
                $0.member("a\n" as String, "escaped")
                $0.member("missing", missing)
                $0.member("left_out", ifPresent: missing)
                $0.member("present", ifPresent: "x" as String?)
                $0.null("null")
                $0.object("object") { $0.member("b", false) }
                $0.array("objects", [1, 2]) { $0.member("n", $1) }
                $0.array("values", ["x", nil, "y"])
                $0.array("empty", [Int]())
            }
        }
        #expect(
            text == #"{"text":"a\"b","int":1,"int64":-9223372036854775808,"flag":true,"#
                + #""a\n":"escaped","missing":null,"present":"x","null":null,"#
                + #""object":{"b":false},"objects":[{"n":1},{"n":2}],"#
                + #""values":["x",null,"y"],"empty":[]}"#)
    }

    @Test
    func `the writer writes every control character as RFC 8259 says and nothing else escaped`() {
        let short: [UInt8: String] = [
            0x08: #"\b"#, 0x09: #"\t"#, 0x0A: #"\n"#, 0x0C: #"\f"#, 0x0D: #"\r"#, 0x22: #"\""#,
            0x5C: #"\\"#,
        ]
        for byte in UInt8(0)..<0x80 {
            let scalar = String(Unicode.Scalar(byte))
            let digits = "0123456789abcdef".map(String.init)
            let long = #"\u00"# + digits[Int(byte >> 4)] + digits[Int(byte & 15)]
            let expected = short[byte] ?? (byte < 0x20 ? long : scalar)
            for place in 0...9 {  // before, in, at the end of and after a whole word
                let before = String(repeating: "p", count: place)
                let text = written { $0.string(before + scalar + "qrstuvwxyz") }
                #expect(text == "\"\(before)\(expected)qrstuvwxyz\"")
                let last = written { $0.string(before + scalar) }
                #expect(last == "\"\(before)\(expected)\"")
            }
        }
    }

    @Test(arguments: ["", "/", "\u{7F}", "h\u{E9}", "\u{2028}", "\u{1F600}", "e\u{301}"])
    func `leaves other characters as they are`(_ text: String) {
        #expect(Array(written { $0.string(text) }.utf8) == Array("\"\(text)\"".utf8))
        #expect(
            Array(written { $0.string(utf8: Array(text.utf8)[...]) }.utf8)
                == Array("\"\(text)\"".utf8))
    }

    @Test func `the writer escapes names that are not constant`() {
        let text = written { writer in
            writer.beginObject()
            writer.key("a\"\n" as String)
            writer.integer(1)
            writer.endObject()
        }
        #expect(text == #"{"a\"\n":1}"#)
    }

    @Test func `the writer maps every Latin-1 byte to the code point of the same number and back`()
        throws
    {
        let bytes = Array(UInt8.min...UInt8.max)
        for start in [0, 1, 7, 120] {
            var writer = JSONWriter()
            writer.string(latin1: bytes[start...])
            let decoded = try JSONDocument(parsing: writer.bytes).root.string
            #expect(decoded?.unicodeScalars.map(\.value) == bytes[start...].map(UInt32.init))
        }
        let text = written { $0.string(latin1: [0x41, 0xE9]) }
        #expect(Array(text.utf8) == [0x22, 0x41, 0xC3, 0xA9, 0x22])
    }

    @Test func `the writer writes integers of every width`() {
        for value in [0, 1, -1, 9, 10, -10, 99, 100, 4200, Int64.max, Int64.min] as [Int64] {
            #expect(written { $0.integer(value) } == "\(value)")
            #expect(written { $0.integer(Int(value)) } == "\(value)")
        }
        #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(written { $0.integer(UInt8(7)) } == "7")
        #expect(written { $0.integer(Int8.min) } == "-128")
        #expect(written { $0.integer(Int128.max) } == "\(Int128.max)")
    }

    /// Longer than the chunks in which text is escaped.
    @Test(arguments: [4095, 4096, 4097, 20_000])
    func `the writer escapes long text as it escapes short text`(count: Int) throws {
        for unit in ["a", "\u{1}", "\"", "\u{E9}"] {
            let text = String(repeating: unit, count: count)
            var writer = JSONWriter()
            writer.string(text)
            let value = try JSONDocument(parsing: writer.bytes).root
            #expect(value.string == text)
            var latin1 = JSONWriter()
            latin1.string(latin1: [UInt8](repeating: 0xE9, count: count)[...])
            let decoded = try JSONDocument(parsing: latin1.bytes).root.string
            #expect(decoded == String(repeating: "\u{E9}", count: count))
        }
    }

    @Test func `the writer starts after the bytes it is given and gives its own away`() {
        var writer = JSONWriter(appendingTo: Array("1\n".utf8))
        writer.beginArray()
        writer.endArray()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "1\n[]")
        writer.bytes.append(UInt8(ascii: "\n"))
        writer.restart()
        writer.null()
        #expect(String(decoding: writer.takeBytes(), as: UTF8.self) == "1\n[]\nnull")
        #expect(writer.bytes.isEmpty)
        writer.integer(5)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "5")
    }
}
