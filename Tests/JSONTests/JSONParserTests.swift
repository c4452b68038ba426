import JSON
import Testing

@Suite struct JSONParserTests {
    @Test(arguments: AcceptedCase.structures + AcceptedCase.numbers + AcceptedCase.strings)
    func `accepts what RFC 8259 allows`(_ accepted: AcceptedCase) throws {
        _ = try JSONDocument(parsing: accepted.bytes)
    }

    @Test(
        arguments: RefusedCase.structures + RefusedCase.numbers + RefusedCase.strings
            + RefusedCase.encodings + RefusedCase.duplicates)
    func `refuses what RFC 8259 does not allow, with the reason and the place`(
        _ refused: RefusedCase
    ) {
        #expect(throws: refused.error) { try JSONDocument(parsing: refused.bytes) }
    }

    /// A text that was cut anywhere must be refused. (A bare number may be cut: `12` is a number
    /// too.)
    @Test func `the parser refuses every proper prefix of an object`() throws {
        let text = Array(#"{"a":[1,-2.5e+3,{"\ud83d\ude00é":null}],"b":"x\ny","c":true}"#.utf8)
        _ = try JSONDocument(parsing: text)
        for count in 0..<text.count {
            #expect(throws: JSONError.self, "the first \(count) bytes") {
                try JSONDocument(parsing: Array(text[..<count]))
            }
        }
    }

    /// No input may trap or hang: every single-byte change of a text parses or throws, and an
    /// error's offset is within the text.
    @Test func `the parser survives every change of one byte`() {
        let text = Array(#"{"a":[1,-2.5e3,{"\ud83d\ude00é":null}],"b":"x\n","c":true}"#.utf8)
        for place in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[place] = byte
                do throws(JSONError) {
                    _ = try JSONDocument(parsing: changed)
                } catch {
                    #expect((0...text.count).contains(error.offset))
                }
            }
        }
    }

    @Test func `the parser gives every error its own reason in snake case`() {
        let errors: [JSONError] = [
            .empty(0), .byteOrderMark(1), .truncated(2), .syntax(3), .number(4), .escape(5),
            .controlCharacter(6), .utf8(7), .surrogate(8), .duplicateKey(9),
            .trailingContent(10), .depth(11), .nodes(12), .tooLarge(13),
        ]
        #expect(Set(errors.map(\.reason)).count == errors.count)
        #expect(errors.map(\.offset) == Array(0...13))
        for error in errors {
            #expect(error.reason.hasPrefix("json_"))
            #expect(error.reason.allSatisfy { $0 == "_" || ("a"..."z" ~= $0) || $0.isNumber })
        }
    }
}
