import AdminAPI
import Console

/// Prints records as they arrive: as JSON Lines, or in columns of fixed width.
final class EventPrinter {
    struct OutputClosed: Error {}

    private static let widths = [8, 27, 12, 11, 11, 9, 24, 18]
    /// Minimum widths on a terminal, for later rows.
    private static let terminalWidths = [4, 8, 6, 12, 16, 10, 10, 0]

    private let terminal: Terminal
    private var lines: [UInt8] = []
    private var rows = table
    private var layout: TextTable.Layout?
    private var hasTitles = false

    private static let titles = [
        "sequence", "received", "endpoint", "kind", "event", "outcome", "order", "status", "amount",
    ]

    private static var table: TextTable {
        TextTable([
            ("#", .right), ("received", .time), ("endpoint", .left), ("event", .left),
            ("order", .left), ("status", .word), ("amount", .right), ("note", .left),
        ])
    }

    init(terminal: Terminal = .none) { self.terminal = terminal }

    /// Adds a record as a line of JSON.
    func add(json record: ArraySlice<UInt8>) {
        lines += record
        lines.append(UInt8(ascii: "\n"))
    }

    /// Adds a record as a row.
    func add(_ record: EventAnswer) {
        let order = record.order
        let cells = [
            "\(record.sequence)", record.received.rfc3339, record.endpoint, record.event.kind,
            record.event.status, record.outcome, order?.reference ?? "", order?.status ?? "",
        ]
        let amount = OrdersCommand.money(order?.amount)
        if terminal.width != nil {
            // The usual outcome is not shown.
            let notes = (record.outcome == "recorded" ? [] : [record.outcome]) + record.flags
            rows.add(
                [cells[0], cells[1], cells[2], "\(cells[3]) \(cells[4])", cells[6], cells[7]]
                    + [amount, notes.joined(separator: " ")])
            return
        }
        if !hasTitles { add(Self.titles) }
        hasTitles = true
        add(cells + [([amount] + record.flags).joined(separator: " ")])
    }

    private func add(_ cells: [String]) {
        let padded = cells.enumerated().map { index, cell in
            let text = TextTable.printable(cell)
            guard index < Self.widths.count else { return text }
            return text + String(repeating: " ", count: max(0, Self.widths[index] - text.count))
        }
        lines += Array((padded.joined(separator: " ") + "\n").utf8)
    }

    /// Writes the added records. Throws when the reader has closed the pipe.
    func flush() throws {
        if !rows.isEmpty { takeRows() }
        guard !lines.isEmpty else { return }
        defer { lines.removeAll(keepingCapacity: true) }
        guard StandardOutput.write(lines) else { throw OutputClosed() }
    }

    /// Formats the rows. The first ones determine the layout of all later ones.
    private func takeRows() {
        let layout = layout ?? rows.layout(on: terminal, minimum: Self.terminalWidths)
        let titles = self.layout == nil ? [rows.titleLine(layout, terminal)] : []
        self.layout = layout
        let all = titles + rows.rowLines(layout, on: terminal)
        lines += Array((all.joined(separator: "\n") + "\n").utf8)
        rows = Self.table
    }
}
