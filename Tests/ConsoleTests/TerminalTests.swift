import Testing

@testable import Console

@Suite struct TerminalTests {
    private static let narrow = Terminal(width: 24, hasColor: false, now: 1_795_244_400)

    @Test func `text is wrapped at spaces and indented`() {
        #expect(
            Self.narrow.wrapped("one two three four five six seven", indent: 2)
                == "one two three four five\n  six seven")
    }

    @Test func `text in a pipe is not wrapped`() {
        let text = String(repeating: "word ", count: 40)
        #expect(Terminal.none.wrapped(text, indent: 2) == text)
    }

    @Test func `an indent that leaves too little room is dropped`() {
        #expect(
            Self.narrow.wrapped("one two three four five six seven", indent: 10)
                == "one two three four five\nsix seven")
    }

    @Test func `colours follow the word, not the text`() {
        let terminal = Terminal(width: 80, hasColor: true, now: 0)
        #expect(terminal.colored("PAID", as: "paid") == "\u{1B}[32mPAID\u{1B}[0m")
        #expect(terminal.colored("x", as: "no such word") == "x")
        #expect(Self.narrow.colored("PAID", as: "paid") == "PAID")
    }

    @Test func `a text that is not a time is shown unchanged`() {
        #expect(Self.narrow.time("yesterday") == "yesterday")
        #expect(Terminal.none.time("2026-11-21T07:00:00Z") == "2026-11-21T07:00:00Z")
    }

    @Test func `a time of another year is shown as its date`() {
        // The day after in zones that are twelve hours ahead or more.
        #expect(
            ["2020-06-15", "2020-06-16"].contains(Self.narrow.time("2020-06-15T12:00:00Z")))
    }

    @Test func `text columns are cut before numbers`() {
        var table = TextTable([("name", .left), ("count", .right)])
        table.add(["a name that is far too long", "1234567890"])
        let lines = table.lines(on: Self.narrow)
        #expect(lines == ["name               count", "a name that…  1234567890"])
    }

    @Test func `empty columns are left out on a terminal`() {
        var table = TextTable([("a", .left), ("b", .left), ("c", .left)])
        table.add(["1", "", "3"])
        #expect(table.lines(on: Self.narrow) == ["a  c", "1  3"])
        #expect(table.lines(on: .none)[0] == "a  b  c")
    }
}
