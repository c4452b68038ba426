import JSON
import Testing

@Suite struct JSONScannerTests {
    private func scan<Result>(
        _ text: String, _ body: (inout JSONScanner) throws -> Result
    ) throws -> Result {
        try Array(text.utf8).withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            return try body(&scanner)
        }
    }

    @Test func `the scanner walks members in order reads some and passes over others`() throws {
        let text = #"""
             { "sequence" : 42 , "skip":{"a":[1,{"}":"]\""},-2.5e3,true]}, "n\u0061me":"x\ny",
               "list":[1,[ ],2 , 3] ,"none":null,"yes":true,"no":false,"minor":-4200 } 
            """#
        try scan(text) { scanner in
            var keys: [String] = []
            var list: [Int64] = []
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                keys.append(key)
                switch key {
                case "sequence": #expect(try scanner.int64() == 42)
                case "name": #expect(try scanner.string() == "x\ny")
                case "minor": #expect(try scanner.int64() == -4200)
                case "none": #expect(try scanner.skipNull())
                case "yes": #expect(try !scanner.skipNull() && scanner.boolean())
                case "no": #expect(try !scanner.boolean())
                case "list":
                    try scanner.beginArray()
                    while try scanner.nextElement() {
                        if list.count == 1 {
                            try scanner.beginArray()
                            #expect(try !scanner.nextElement())
                            list.append(-1)
                        } else {
                            list.append(try scanner.int64())
                        }
                    }
                default: try scanner.skipValue()
                }
            }
            try scanner.end()
            #expect(
                keys == ["sequence", "skip", "name", "list", "none", "yes", "no", "minor"])
            #expect(list == [1, -1, 2, 3])
        }
    }

    @Test func `the scanner gives the place of what it passed over`() throws {
        try scan(#"{"a": {"x":[1]} ,"b":2}"#) { scanner in
            try scanner.beginObject()
            #expect(try scanner.nextKey() == "a")
            #expect(try scanner.skipValue() == 6..<15)
            #expect(try scanner.nextKey() == "b")
            #expect(try scanner.skipValue() == 21..<22)
            #expect(try scanner.nextKey() == nil)
        }
    }

    @Test func `the scanner lends a string's bytes decoded where something is escaped`() throws {
        try scan(#"["plain","\u00e9\n"]"#) { scanner in
            try scanner.beginArray()
            #expect(try scanner.nextElement())
            #expect(try scanner.withUTF8 { $0.count } == 5)
            #expect(try scanner.nextElement())
            #expect(try scanner.withUTF8 { [$0[0], $0[1], $0[2]] } == [0xC3, 0xA9, 0x0A])
            #expect(try !scanner.nextElement())
        }
    }

    @Test(arguments: AcceptedCase.structures + AcceptedCase.numbers + AcceptedCase.strings)
    func `passes over every accepted text whole`(_ accepted: AcceptedCase) throws {
        try accepted.bytes.withUnsafeBytes { text in
            var scanner = JSONScanner(text)
            try scanner.skipValue()
            try scanner.end()
        }
    }

    /// The scanner checks the grammar outside of strings only, hence these two lists.
    @Test(
        arguments: (RefusedCase.structures + RefusedCase.numbers).filter {
            ![.empty(0), .empty(2), .byteOrderMark(0)].contains($0.error)
        })
    func `refuses malformed text while passing over it`(_ refused: RefusedCase) {
        refused.bytes.withUnsafeBytes { text in
            var scanner = JSONScanner(text)
            #expect(throws: refused.error) {
                try scanner.skipValue()
                try scanner.end()
            }
        }
    }

    @Test func `the scanner refuses an integer that is none or does not fit`() {
        for text in ["1.5", "1e3", "9223372036854775808", "-9223372036854775809", "01"] {
            #expect(throws: JSONError.number(0)) { try scan(text) { try $0.int64() } }
        }
        #expect(throws: JSONError.syntax(0)) { try scan(#""1""#) { try $0.int64() } }
        #expect(throws: JSONError.truncated(0)) { try scan("") { try $0.int64() } }
    }

    @Test func `the scanner refuses text booleans and containers that are something else`() {
        #expect(throws: JSONError.syntax(0)) { try scan("1") { try $0.string() } }
        #expect(throws: JSONError.syntax(0)) { try scan("1") { try $0.boolean() } }
        #expect(throws: JSONError.syntax(0)) { try scan("[]") { try $0.beginObject() } }
        #expect(throws: JSONError.syntax(0)) { try scan("{}") { try $0.beginArray() } }
        #expect(throws: JSONError.utf8(1)) {
            try ([0x22, 0xFF, 0x22] as [UInt8]).withUnsafeBytes { text in
                var scanner = JSONScanner(text)
                return try scanner.string()
            }
        }
    }

    @Test func `the scanner refuses missing and superfluous commas and colons between members`() {
        func walk(_ text: String) throws {
            try scan(text) { scanner in
                try scanner.beginObject()
                while try scanner.nextKey() != nil { try scanner.skipValue() }
                try scanner.end()
            }
        }
        #expect(throws: Never.self) { try walk(#"{"a":1,"b":2}"#) }
        #expect(throws: JSONError.syntax(7)) { try walk(#"{"a":1 "b":2}"#) }
        #expect(throws: JSONError.syntax(7)) { try walk(#"{"a":1,}"#) }
        #expect(throws: JSONError.syntax(1)) { try walk(#"{,"a":1}"#) }
        #expect(throws: JSONError.syntax(5)) { try walk(#"{"a" 1}"#) }
        #expect(throws: JSONError.syntax(5)) { try walk(#"{"a":}"#) }
        #expect(throws: JSONError.truncated(6)) { try walk(#"{"a":1"#) }
        #expect(throws: JSONError.trailingContent(8)) { try walk(#"{"a":1} x"#) }
    }

    @Test func `the scanner refuses nesting beyond its limit`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try scan(nested(64)) { try $0.skipValue() } == 0..<128)
        #expect(throws: JSONError.depth(64)) { try scan(nested(65)) { try $0.skipValue() } }
        #expect(throws: JSONError.depth(64)) { try scan(nested(10_000)) { try $0.skipValue() } }
    }

    @Test func `the scanner never passes the end of a text that is cut anywhere`() throws {
        let text = Array(#"{"a":[1,{"b\"\\":null}],"c":"x\u00e9","d":true}"#.utf8)
        for count in 0..<text.count {
            Array(text[..<count]).withUnsafeBytes { cut in
                var scanner = JSONScanner(cut)
                #expect(throws: JSONError.self) { try scanner.skipValue() }
                #expect(scanner.offset <= count)
            }
        }
    }
}
