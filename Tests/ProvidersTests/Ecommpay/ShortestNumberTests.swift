import Testing

@testable import Providers

@Suite struct ShortestNumberTests {
    @Test(arguments: [
        ("100.0", "100"), ("1.10", "1.1"), ("1.5", "1.5"), ("100", "100"), ("-0.0", "-0"),
        ("0", "0"),
        ("1e2", "100"), ("1E+2", "100"), ("1.25e1", "12.5"), ("125e-2", "1.25"), ("5e-3", "0.005"),
        ("-1.0e0", "-1"), ("0.30000000000000004", "0.30000000000000004"),
        ("9007199254740993", "9007199254740993"), ("1e400", "1e400"), ("1e-400", "1e-400"),
        ("1e99999999999999999999", "1e99999999999999999999"),
    ])
    func `is that of`(_ lexeme: String, _ shortest: String) {
        #expect(shortestNumber(lexeme) == shortest)
    }
}
