import Reconciliation
import Testing

@Suite struct CSVReaderTests {
    private func read(_ bytes: [UInt8], separator: UInt8 = 0x2C) -> [CSVReader.Item] {
        var items: [CSVReader.Item] = []
        var reader = CSVReader(separator: separator)
        reader.feed(bytes) { items.append($0) }
        reader.finish { items.append($0) }
        return items
    }

    private func read(_ text: String) -> [CSVReader.Item] { read(Array(text.utf8)) }

    @Test(
        arguments: [
            ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
            ("a,b\r\n1,2", [["a", "b"], ["1", "2"]]),
            ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]),
            ("\u{FEFF}a,b\n", [["a", "b"]]),
            ("\"a\",\"b\"\n", [["a", "b"]]),
            ("\"a,\"\"b\"\"\",c\n", [["a,\"b\"", "c"]]),
            ("\"a\nb\",c\n", [["a\nb", "c"]]),
            (",\n,,\n", [["", ""], ["", "", ""]]),
            ("\n\r\na\n\n", [["a"]]),
            ("\"\"\n", [[""]]),
            ("a\"b,c\n", [["a\"b", "c"]]),
        ] as [(String, [[String]])])
    func `forms of rows are read`(_ text: String, _ rows: [[String]]) {
        let fields = read(text).map { item -> [String] in
            if case .row(_, let fields) = item { fields } else { ["broken"] }
        }
        #expect(fields == rows)
    }

    /// The result does not depend on how the bytes are split.
    @Test func `pieces make no difference`() {
        let text = Array("\u{FEFF}a,\"b\r\nc\"\r\n\"x\"y\r\n1,2\r\n\"".utf8)
        let whole = read(text)
        for cut in 0...text.count {
            var items: [CSVReader.Item] = []
            var reader = CSVReader()
            reader.feed(text[..<cut]) { items.append($0) }
            reader.feed(text[cut...]) { items.append($0) }
            reader.finish { items.append($0) }
            #expect(items == whole, "cut at \(cut)")
        }
    }

    @Test func `lines are counted through quoted breaks`() {
        #expect(
            read("a\r\n\"x\r\ny\nz\"\r\nb\n") == [
                .row(line: 1, fields: ["a"]), .row(line: 2, fields: ["x\r\ny\nz"]),
                .row(line: 5, fields: ["b"]),
            ])
    }

    @Test func `what is broken is told and the next row is read`() {
        #expect(
            read("a\n\"x\"y,1\nb\n\"open\nc\n") == [
                .row(line: 1, fields: ["a"]), .broken(line: 2, .textAfterQuote),
                .row(line: 3, fields: ["b"]), .broken(line: 4, .unclosedQuote),
            ])
        #expect(
            read(Array("a\n".utf8) + [0xFF, 0x0A, 0x62, 0x00, 0x0A]) == [
                .row(line: 1, fields: ["a"]), .broken(line: 2, .notText),
                .broken(line: 3, .notText),
            ])
        let long = String(repeating: "x", count: CSVReader.rowBytesMax + 1)
        #expect(
            read("\(long)\nb\n") == [
                .broken(line: 1, .tooLong(bytesMax: CSVReader.rowBytesMax)),
                .row(line: 2, fields: ["b"]),
            ])
    }

    @Test func `another separator leaves commas alone`() {
        #expect(
            read(Array("a;b,c\n".utf8), separator: UInt8(ascii: ";"))
                == [.row(line: 1, fields: ["a", "b,c"])])
    }
}
