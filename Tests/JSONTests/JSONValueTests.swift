import JSON
import Testing

@Suite struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONDocument(parsing: Array(text.utf8)).root
    }

    @Test(
        arguments: zip(
            ["{}", "[]", #""""#, "1", "1.5", "true", "false", "null"],
            [.object, .array, .string, .number, .number, .boolean, .boolean, .null]
                as [JSONValue.Kind]))
    func `knows its kind`(text: String, kind: JSONValue.Kind) throws {
        #expect(try parse(text).kind == kind)
    }

    @Test(arguments: [
        "100.0", "1e5", "1E+05", "-0", "0", "-0.0", "123456789012345678901234567890", "1e400",
        "0.10",
    ])
    func `keeps a number's literal`(_ number: String) throws {
        #expect(try parse(number).lexeme == number)
        #expect(try parse("[ \(number) ]").elements.map(\.lexeme) == [number])
        #expect(try parse("{\"a\":\(number)}")["a"]?.lexeme == number)
    }

    @Test(
        arguments: [
            (#""abc""#, "abc"), (#""a\u0062c""#, "abc"), (#""abcd""#, nil), (#""""#, nil),
            ("123", nil), ("null", nil), (#"["abc"]"#, nil),
        ] as [(String, String?)])
    func `gives text that is right, as decoded`(json: String, text: String?) throws {
        #expect(try parse(json).string { $0.count == 3 } == text)
    }

    @Test func `a value finds a member by a literal as by a text`() throws {
        let value = try parse(#"{"a":1,"ab":2,"\u0061bc":3,"":4}"#)
        for name in ["a", "ab", "abc", "", "b", "abcd"] {
            #expect(value[name]?.int64 == ["a": 1, "ab": 2, "abc": 3, "": 4][name])
        }
        // Typed explicitly, because in a longer expression Swift may choose String for a bare
        // literal.
        let literals: [(StaticString, Int64?)] = [
            ("a", 1), ("ab", 2), ("abc", 3), ("", 4), ("b", nil), ("abcd", nil),
        ]
        for (name, number) in literals { #expect(value[name]?.int64 == number) }
        // Elements are laid out like a name and its value.
        let name: StaticString = "a"
        #expect(try parse(#"["a",1]"#)[name] == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-12", -12),
            ("9007199254740993", 9_007_199_254_740_993),  // 2^53 + 1, which no Double represents
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("18446744073709551616", nil), ("123456789012345678901234567890", nil),
            ("1.0", nil), ("1e2", nil), (#""1""#, nil), ("true", nil), ("null", nil),
        ] as [(String, Int64?)])
    func `reads integers without Double`(text: String, value: Int64?) throws {
        #expect(try parse(text).int64 == value)
    }

    @Test(arguments: [
        (#""""#, ""), (#""abc""#, "abc"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00e9\u20AC""#, "A\u{E9}\u{20AC}"), (#""x\ud83d\ude00y""#, "x\u{1F600}y"),
        (#""\udbff\udfff\ud800\udc00""#, "\u{10FFFF}\u{10000}"), (#""a\u0000b""#, "a\0b"),
        ("\"h\u{E9}\u{6F22}\u{1F600}\"", "h\u{E9}\u{6F22}\u{1F600}"),
        ("\"e\u{301}\\n\u{E9}\"", "e\u{301}\n\u{E9}"), (#""\\u0041""#, #"\u0041"#),
    ])
    func `decodes its text`(text: String, decoded: String) throws {
        let value = try parse(text)
        // Compared as bytes: String's == treats canonically equivalent texts as equal.
        #expect(value.string.map { Array($0.utf8) } == Array(decoded.utf8))
        #expect(value.utf8.map(Array.init) == Array(decoded.utf8))
    }

    @Test func `a value answers nil where it is another kind`() throws {
        for text in ["{}", "[]", #""1""#, "1", "true", "null"] {
            let value = try parse(text)
            #expect((value.string != nil) == (value.kind == .string))
            #expect((value.utf8 != nil) == (value.kind == .string))
            #expect((value.lexeme != nil) == (value.kind == .number))
            #expect((value.int64 != nil) == (value.kind == .number))
            #expect((value.bool != nil) == (value.kind == .boolean))
            #expect(value.isNull == (value.kind == .null))
            #expect(value["a"] == nil)
            #expect(Array(value.members).isEmpty)
            #expect(Array(value.elements).isEmpty)
        }
        #expect(try parse("true").bool == true)
        #expect(try parse("false").bool == false)
    }

    @Test func `a value gives its exact bytes with the white space inside and none around`() throws
    {
        let value = try parse(#" { "a" : [ 1 , 2.50 ] , "b\u0063" : "x\n" , "d" : { } } "#)
        #expect(Array(value["a"]?.rawBytes ?? []) == Array("[ 1 , 2.50 ]".utf8))
        #expect(Array(value["bc"]?.rawBytes ?? []) == Array(#""x\n""#.utf8))
        #expect(Array(value["d"]?.rawBytes ?? []) == Array("{ }".utf8))
        #expect(value.rawBytes.first == UInt8(ascii: "{"))
        #expect(value.rawBytes.last == UInt8(ascii: "}"))
        #expect(value.rawBytes.startIndex == 1)
    }
}
