import Testing

@testable import Reading

@Suite struct OrderCSVTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
        ("two\nlines", "\"two\nlines\""), ("a\r", "\"a\r\""), ("ü", "ü"),
    ])
    func aFieldIsQuotedWhereItMustBe(_ field: String, _ quoted: String) {
        #expect(OrderCSV.quoted(field) == quoted)
    }
}
