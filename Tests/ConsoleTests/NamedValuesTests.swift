import Testing

@testable import Console

@Suite struct NamedValuesTests {
    private static let values: NamedValues = {
        var values = NamedValues()
        values.line("store", "none")
        values.member("store", nil as String?)
        values.pair("records", 7)
        values.line("a name longer than the column", "x")
        values.member("over", true)
        values.member("snapshots", .integers([3, 1]))
        values.member("answers", .counts(["503": 1, "200": 2]))
        var inner = NamedValues()
        inner.member("code", "\"")
        values.member("order", .object(inner))
        values.member("orders", .objects([inner, inner]))
        return values
    }()

    @Test func `lines have their values in one column`() {
        #expect(
            Self.values.lines() == [
                "store        none", "records      7", "a name longer than the column  x",
            ])
        #expect(Self.values.text(nameWidth: 9).hasPrefix("store    none\nrecords  7\n"))
    }

    @Test func `names are bold on a terminal with colours`() {
        let terminal = Terminal(width: 80, hasColor: true, now: 0)
        #expect(Self.values.lines(on: terminal)[0] == "\u{1B}[1mstore\u{1B}[0m        none")
    }

    @Test func `members keep their order, and counts are sorted`() {
        #expect(
            Self.values.jsonText == """
                {"store":null,"records":7,"over":true,"snapshots":[3,1],\
                "answers":{"200":2,"503":1},"order":{"code":"\\""},\
                "orders":[{"code":"\\""},{"code":"\\""}]}
                """)
    }

    @Test(arguments: [(0, "0 records"), (1, "1 record"), (2, "2 records")])
    func `a counted noun has its plural`(count: Int, text: String) {
        #expect(counted(count, "record") == text)
    }
}
