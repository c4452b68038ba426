import AdminAPI
import JSON
import Reconciliation
import Simulator

import struct Payments.Currency

/// What `ipnd reconcile` prints: the differences on standard output, and what all of it comes to.
struct DifferenceReport {
    enum Form { case table, csv, json }

    private let form: Form
    private let terminal: Terminal

    init(_ form: Form, on terminal: Terminal) {
        self.form = form
        self.terminal = terminal
    }

    func show(_ outcome: OrderSweep.Outcome) throws {
        var summary = JSONWriter(reserving: 128)
        Self.begin(&summary, outcome.differences)
        summary.key("orders")
        summary.integer(outcome.orders)
        summary.key("asked")
        summary.integer(outcome.done)
        summary.endObject()
        show(
            outcome.differences, summary.bytes,
            [
                "\(outcome.done) of \(counted(outcome.orders, "order")) asked about, "
                    + counted(outcome.differences.count, "difference")
            ])
    }

    func show(_ comparison: Comparison, of statement: StatementReader) throws {
        var summary = JSONWriter(reserving: 256)
        Self.begin(&summary, comparison.differences)
        for (name, count) in [
            ("rows", statement.rowCount), ("compared", comparison.compared),
            ("badLines", statement.badLines.count),
        ] {
            summary.key(name)
            summary.integer(count)
        }
        var lines = [
            "\(counted(statement.rowCount, "row")), \(counted(comparison.compared, "order")) "
                + "compared, \(counted(comparison.differences.count, "difference"))"
        ]
        if !statement.hasStatuses { lines.append("statuses are not compared: there is no column") }
        summary.key("sums")
        summary.beginArray()
        for (currency, here, there) in Self.sums(comparison) {
            summary.beginObject()
            summary.key("currency")
            summary.string(currency.code)
            summary.key("here")
            summary.integer(here)
            summary.key("there")
            summary.integer(there)
            summary.endObject()
            lines.append(
                "orders that both have: \(Totals.text(here, currency)) here, "
                    + "\(Totals.text(there, currency)) there, "
                    + "\(Totals.text(there - here, currency)) difference")
        }
        summary.endArray()
        summary.endObject()
        show(comparison.differences, summary.bytes, lines)
    }

    private static func sums(
        _ comparison: Comparison
    ) -> [(currency: Currency, here: Int128, there: Int128)] {
        let currencies = Set((comparison.here.all + comparison.there.all).map(\.currency))
        return currencies.sorted().map { ($0, comparison.here[$0], comparison.there[$0]) }
    }

    private static func begin(_ summary: inout JSONWriter, _ differences: [Difference]) {
        summary.beginObject()
        summary.key("type")
        summary.string("summary")
        summary.key("differences")
        summary.integer(differences.count)
    }

    private func show(_ differences: [Difference], _ summary: [UInt8], _ lines: [String]) {
        switch form {
        case .json:
            var bytes: [UInt8] = []
            for difference in differences {
                var writer = JSONWriter(reserving: 160)
                difference.write(to: &writer)
                bytes += writer.bytes + [UInt8(ascii: "\n")]
            }
            _ = StandardOutput.write(bytes + summary + [UInt8(ascii: "\n")])
        case .csv:
            var text = Difference.Kind.csvHeader
            for difference in differences {
                let cells = difference.members.map { OrderCSV.quoted(OrderCSV.text($0.value)) }
                text += cells.joined(separator: ",") + "\r\n"
            }
            _ = StandardOutput.write(Array(text.utf8))
            for line in lines { StandardError.print(line) }
        case .table:
            if !differences.isEmpty {
                var table = TextTable([
                    ("reference", .left), ("difference", .word), ("here", .left),
                    ("there", .left), ("detail", .left),
                ])
                for difference in differences { table.add(difference.members.map(\.value)) }
                table.print(on: terminal)
            }
            for line in lines { StandardOutput.print(terminal.wrapped(line, indent: 2)) }
        }
    }
}

extension Difference.Kind {
    fileprivate static let csvHeader = "reference,difference,here,there,detail\r\n"
}
