import AdminAPI
import Console
import Store

/// Prints orders as JSON Lines or as one table, to which `--watch` adds rows.
struct OrderPrinter {
    let terminal: Terminal
    var isJSON = false
    /// The layout of the first rows, which later ones keep.
    private var layout: TextTable.Layout?
    private var hasTitles = false

    /// Minimum width of each column on a terminal, for later rows.
    private static let widths = [16, 8, 12, 12, 0, 0, 12]

    init(terminal: Terminal, isJSON: Bool = false) {
        self.terminal = terminal
        self.isJSON = isJSON
    }

    /// Prints a table. Returns false when the reader has closed the pipe.
    mutating func show(_ orders: [ListedOrder], watches: Bool) -> Bool {
        if isJSON {
            return StandardOutput.write(orders.flatMap { $0.json() + [UInt8(ascii: "\n")] })
        }
        guard !orders.isEmpty else {
            if !hasTitles, !watches { StandardOutput.print("No orders.") }
            return true
        }
        let table = Self.table(orders)
        defer { hasTitles = true }
        guard watches, terminal.width != nil else {
            // While watching, the titles are printed once.
            let lines = table.lines(on: terminal).dropFirst(hasTitles ? 1 : 0)
            return Self.write(Array(lines))
        }
        let layout = layout ?? table.layout(on: terminal, minimum: Self.widths)
        self.layout = layout
        let titles = hasTitles ? [] : [table.titleLine(layout, terminal)]
        return Self.write(titles + table.rowLines(layout, on: terminal))
    }

    private static func table(_ orders: [ListedOrder]) -> TextTable {
        var table = TextTable([
            ("reference", .left), ("endpoint", .left), ("status", .word), ("amount", .right),
            ("refunded", .right), ("flags", .left), ("updated", .time),
        ])
        for order in orders {
            table.add([
                order.reference ?? "(\(order.transaction ?? "unjoined"))", order.endpoint,
                order.status, Self.amount(of: order),
                OrdersCommand.money(order.refunded, hidesZero: true),
                order.flags.joined(separator: " "), order.updated.rfc3339,
            ])
        }
        return table
    }

    /// The amount; in parentheses the expected one, while none was reported.
    private static func amount(of order: ListedOrder) -> String {
        guard order.amount == nil, let expected = order.expected else {
            return OrdersCommand.money(order.amount)
        }
        return "(\(OrdersCommand.money(expected)))"
    }

    private static func write(_ lines: [String]) -> Bool {
        StandardOutput.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    }
}
