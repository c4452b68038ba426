import JSON
import Testing

@testable import Providers

@Suite struct EcommpayNumberTests {
    static let forms: [(EcommpayNumber.Form, String)] = [
        (.php, "php"), (.phpExact, "phpExact"), (.javaScript, "javaScript"), (.python, "python"),
        (.goInteger, "goInteger"), (.goGeneral, "goGeneral"), (.java, "java"),
    ]

    /// `#expect` cannot contain a span.
    private static func dependsOnPrinter(_ lexeme: String) -> Bool {
        EcommpayNumber.dependsOnPrinter(lexeme.utf8.span)
    }

    /// Each number as PHP, JavaScript, Python, Go and Java print it.
    @Test(arguments: forms)
    func `is printed as the language does`(_ form: EcommpayNumber.Form, _ name: String) throws {
        let rows = try #require(VectorFile.load("ecommpay-sdks")["numbers"]).elements.map(\.self)
        try #require(rows.count >= 40)
        for row in rows {
            let lexeme = try #require(row["lexeme"]?.string)
            let expected = row["same"]?.bool == true ? lexeme : row[name]?.string
            #expect(EcommpayNumber.text(lexeme, form) == expected, "\(lexeme)")
        }
    }

    /// A number that is said to be the same in all languages is.
    @Test func `numbers that depend on the language are known`() throws {
        for lexeme in ["0", "7", "42", "999999", "100000"] {
            #expect(!Self.dependsOnPrinter(lexeme))
            for form in EcommpayNumber.Form.allCases {
                #expect(EcommpayNumber.text(lexeme, form) == lexeme)
            }
        }
        for row in try #require(VectorFile.load("ecommpay-sdks")["numbers"]).elements
        where row["same"]?.bool != true {
            let lexeme = try #require(row["lexeme"]?.string)
            let texts = Set(EcommpayNumber.Form.allCases.map { EcommpayNumber.text(lexeme, $0) })
            guard texts != [lexeme] else { continue }
            #expect(Self.dependsOnPrinter(lexeme), "\(lexeme)")
        }
    }

    /// Reading each of its digits again for each form would take too long.
    @Test func `a very long number stays as it is`() {
        let lexeme = String(repeating: "9", count: EcommpayNumber.lexemeBytesMax + 1)
        #expect(!Self.dependsOnPrinter(lexeme))
        for form in EcommpayNumber.Form.allCases {
            #expect(EcommpayNumber.text(lexeme, form) == lexeme)
        }
    }

    @Test func `a number is one as JSON or an SDK writes it`() {
        for text in ["0", "-7", "100.0", "1e2", "1.0E+25", "12E-3", "007"] {
            #expect(EcommpayNumber.isNumber(text.utf8), "\(text)")
        }
        for text in [
            "", "-", "+1", ".5", "1.", "1.e2", "1e", "1e+", "1x5", "1 ", "10:20", "0x10", "1e2.5",
            "1,000", "1e2 ", "INF", "--1",
        ] {
            #expect(!EcommpayNumber.isNumber(text.utf8), "\(text)")
        }
    }
}
