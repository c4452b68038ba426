import Console
import Reconciliation
import Testing

@testable import Commands

@Suite struct DifferenceReportTests {
    private static let outcome: OrderSweep.Outcome = {
        var outcome = OrderSweep.Outcome()
        outcome.orders = 3
        outcome.done = 2
        outcome.differences = [
            Difference(
                .otherStatus, "A-1", here: "pending", there: "paid", detail: "said \"paid\"")
        ]
        return outcome
    }()

    private static func output(
        _ form: DifferenceReport.Form, _ outcome: OrderSweep.Outcome = outcome
    ) -> (output: String, errors: [String]) {
        let text = DifferenceReport(form, on: .none).text(outcome)
        return (String(decoding: text.output, as: UTF8.self), text.errors)
    }

    @Test func `a table ends with a summary`() {
        let text = Self.output(.table)
        #expect(
            text.output == """
                reference  difference    here     there  detail
                A-1        other_status  pending  paid   said "paid"
                2 of 3 orders asked about, 1 difference

                """)
        #expect(text.errors.isEmpty)
    }

    @Test func `without differences there is only a summary`() {
        var outcome = OrderSweep.Outcome()
        (outcome.orders, outcome.done) = (1, 1)
        #expect(Self.output(.table, outcome).output == "1 of 1 order asked about, 0 differences\n")
    }

    @Test func `JSON Lines end with a summary object`() {
        #expect(
            Self.output(.json).output == """
                {"reference":"A-1","difference":"other_status","here":"pending","there":"paid",\
                "detail":"said \\"paid\\""}
                {"type":"summary","differences":1,"orders":3,"asked":2}

                """)
    }

    @Test func `the summary of CSV goes to standard error`() {
        let text = Self.output(.csv)
        #expect(
            text.output == """
                reference,difference,here,there,detail\r
                A-1,other_status,pending,paid,"said ""paid""\"\r

                """)
        #expect(text.errors == ["2 of 3 orders asked about, 1 difference"])
    }

    @Test func `a comparison reports sums by currency and missing statuses`() throws {
        var statement = StatementReader(StatementLayout(), separator: 0x2C)
        try statement.feed(Array("reference,amount,currency\nA-1,42.00,MYR\n".utf8))
        try statement.finish()
        var comparison = Comparison()
        comparison.lacks("A-1", try #require(statement.claims.values.first))
        let report = DifferenceReport(.json, on: .none)
        let text = report.text(comparison, of: statement)
        #expect(
            String(decoding: text.output, as: UTF8.self).hasSuffix(
                #"{"type":"summary","differences":1,"rows":1,"compared":0,"badLines":0,"sums":[]}"#
                    + "\n"))
        let table = DifferenceReport(.table, on: .none).text(comparison, of: statement).output
        #expect(
            String(decoding: table, as: UTF8.self).hasSuffix(
                """
                1 row, 0 orders compared, 1 difference
                statuses are not compared: there is no column

                """))
    }
}
