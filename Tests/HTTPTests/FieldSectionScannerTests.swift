import Testing

@testable import HTTP

@Suite struct FieldSectionScannerTests {
    private static func scan(_ section: String) throws(HTTPError.Cause) -> [String]? {
        let bytes = latin1(section)
        var scanner = FieldSectionScanner(start: 0, bound: 1000, fieldCountMax: 10)
        guard try scanner.scan(bytes, tooLarge: .headTooLarge) else { return nil }
        return scanner.fields.map { "\(text(bytes[$0.name]))=\(text(bytes[$0.value]))" }
    }

    @Test(
        arguments: [
            ("\r\n", []), ("A:\r\n\r\n", ["A="]), ("A: \t \r\n\r\n", ["A="]),
            ("A:b\r\n\r\n", ["A=b"]),
            ("A: b c\t\r\nD:e:f\r\n\r\n", ["A=b c", "D=e:f"]),
        ] as [(String, [String])])
    func `are found without the white space around`(_ section: String, _ fields: [String]) throws {
        #expect(try Self.scan(section) == fields)
    }

    @Test func `are unfinished until the empty line`() throws {
        for section in ["", "A", "A:", "A: b", "A: b\r", "A: b\r\n", "A: b\r\n\r"] {
            #expect(try Self.scan(section) == nil)
        }
    }

    @Test func `restart forgets the fields before`() throws {
        var scanner = FieldSectionScanner(start: 0, bound: 1000, fieldCountMax: 10)
        #expect(try scanner.scan(latin1("A: b\r\n\r\n"), tooLarge: .headTooLarge))
        scanner.restart(at: 1, bound: 1000)
        #expect(try scanner.scan(latin1("xC: d\r\n\r\n"), tooLarge: .headTooLarge))
        #expect(scanner.fields.count == 1 && scanner.fields[0].name == 1..<2)
    }
}
