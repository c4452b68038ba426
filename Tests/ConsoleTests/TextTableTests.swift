import Testing

@testable import Console

@Suite struct TextTableTests {
    @Test func `columns are as wide as their widest cell`() {
        var table = TextTable([("#", .right), ("name", .left), ("why", .left)])
        table.add(["1", "ä", "x"])
        table.add(["12", "longer", ""])
        #expect(table.lines == [" #  name    why", " 1  ä       x", "12  longer  "])
    }

    @Test func `control characters are replaced`() {
        #expect(
            TextTable.printable("a\u{1B}[2Jb\n\u{202E}c\u{9B}")
                == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}c\u{FFFD}")
    }
}
