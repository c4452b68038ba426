import AdminAPI
import Console
import JSON
import Reconciliation

import struct Payments.Currency

/// The output of `ipnd reconcile`: the differences, and a summary.
struct DifferenceReport {
    enum Form { case table, csv, json }

    private let form: Form
    private let terminal: Terminal

    init(_ form: Form, on terminal: Terminal) {
        self.form = form
        self.terminal = terminal
    }

    func show(_ outcome: OrderSweep.Outcome) {
        print(text(outcome))
    }

    func show(_ comparison: Comparison, of statement: StatementReader) {
        print(text(comparison, of: statement))
    }

    /// The text of standard output, and the lines that go to standard error.
    typealias Text = (output: [UInt8], errors: [String])

    func text(_ outcome: OrderSweep.Outcome) -> Text {
        var summary = Self.summary(outcome.differences)
        summary.member("orders", outcome.orders)
        summary.member("asked", outcome.done)
        return text(
            outcome.differences, summary,
            [
                "\(outcome.done) of \(counted(outcome.orders, "order")) asked about, "
                    + counted(outcome.differences.count, "difference")
            ])
    }

    func text(_ comparison: Comparison, of statement: StatementReader) -> Text {
        var summary = Self.summary(comparison.differences)
        summary.member("rows", statement.rowCount)
        summary.member("compared", comparison.compared)
        summary.member("badLines", statement.badLines.count)
        var lines = [
            "\(counted(statement.rowCount, "row")), \(counted(comparison.compared, "order")) "
                + "compared, \(counted(comparison.differences.count, "difference"))"
        ]
        if !statement.hasStatuses { lines.append("statuses are not compared: there is no column") }
        let sums = Self.sums(comparison).map { currency, here, there in
            lines.append(
                "orders that both have: \(Totals.text(here, currency)) here, "
                    + "\(Totals.text(there, currency)) there, "
                    + "\(Totals.text(there - here, currency)) difference")
            var sum = NamedValues()
            sum.member("currency", currency.code)
            sum.member("here", here)
            sum.member("there", there)
            return sum
        }
        summary.member("sums", .objects(sums))
        return text(comparison.differences, summary, lines)
    }

    private static func sums(
        _ comparison: Comparison
    ) -> [(currency: Currency, here: Int128, there: Int128)] {
        let currencies = Set((comparison.here.all + comparison.there.all).map(\.currency))
        return currencies.sorted().map { ($0, comparison.here[$0], comparison.there[$0]) }
    }

    private static func summary(_ differences: [Difference]) -> NamedValues {
        var summary = NamedValues()
        summary.member("type", "summary")
        summary.member("differences", differences.count)
        return summary
    }

    private func print(_ text: Text) {
        _ = StandardOutput.write(text.output)
        for line in text.errors { StandardError.print(line) }
    }

    private func text(_ differences: [Difference], _ summary: NamedValues, _ lines: [String])
        -> Text
    {
        switch form {
        case .json:
            var bytes: [UInt8] = []
            for difference in differences {
                var writer = JSONWriter(reserving: 160)
                difference.write(to: &writer)
                bytes += writer.bytes + [UInt8(ascii: "\n")]
            }
            return (bytes + summary.json + [UInt8(ascii: "\n")], [])
        case .csv:
            var text = Difference.Kind.csvHeader
            for difference in differences {
                let cells = difference.members.map { OrderCSV.quoted(OrderCSV.text($0.value)) }
                text += cells.joined(separator: ",") + "\r\n"
            }
            return (Array(text.utf8), lines)
        case .table:
            var shown = lines.map { terminal.wrapped($0, indent: 2) }
            if !differences.isEmpty {
                var table = TextTable([
                    ("reference", .left), ("difference", .word), ("here", .left),
                    ("there", .left), ("detail", .left),
                ])
                for difference in differences { table.add(difference.members.map(\.value)) }
                shown = table.lines(on: terminal) + shown
            }
            return (Array((shown.joined(separator: "\n") + "\n").utf8), [])
        }
    }
}

extension Difference.Kind {
    fileprivate static let csvHeader = "reference,difference,here,there,detail\r\n"
}
