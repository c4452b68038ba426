import Testing

@testable import Simulator

@Suite struct TextTableTests {
    @Test func columnsAreAsWideAsTheirWidestCell() {
        var table = TextTable([("#", .right), ("name", .left), ("why", .left)])
        table.add(["1", "ä", "x"])
        table.add(["12", "longer", ""])
        #expect(table.lines == [" #  name    why", " 1  ä       x", "12  longer  "])
    }

    @Test func whatStrangersSendCannotSteerTheTerminal() {
        #expect(
            TextTable.printable("a\u{1B}[2Jb\n\u{202E}c\u{9B}")
                == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}c\u{FFFD}")
    }
}
