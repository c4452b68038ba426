import Testing

@testable import AdminAPI

@Suite struct OrderCSVTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
        ("two\nlines", "\"two\nlines\""), ("a\r", "\"a\r\""), ("ü", "ü"),
    ])
    func `a field is quoted where necessary`(_ field: String, _ quoted: String) {
        #expect(OrderCSV.quoted(field) == quoted)
    }

    /// Quotes do not help, because a spreadsheet removes them first.
    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t'=1"), ("\r=1", "'\r'=1"), ("\u{FF1D}1", "'\u{FF1D}1"), ("a=1", "a=1"),
        ("R-1", "R-1"), ("'=1", "'=1"), ("", ""), ("a;=1", "a;'=1"), ("a; =1", "a; '=1"),
        ("a;\"=1", "a;\"'=1"), ("a;;@x", "a;;'@x"), ("a\t+1", "a\t'+1"), ("a\n-1", "a\n'-1"),
        ("a;b=1", "a;b=1"), ("a\u{9B}2J", "a\u{FFFD}2J"), ("a\u{202E}b", "a\u{FFFD}b"),
    ])
    func `external text cannot become a formula`(_ field: String, _ text: String) {
        #expect(OrderCSV.text(field) == text)
    }
}
