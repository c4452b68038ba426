import Bytes

/// A table of text for people.
package struct TextTable: Sendable {
    /// The format of a column. In a pipe, all but ``right`` are the same as ``left``.
    package enum Kind: Sendable {
        case left, right
        /// An RFC 3339 time; short and local on a terminal.
        case time
        /// A word with a colour.
        case word
    }

    private let columns: [(title: String, kind: Kind)]
    private var rows: [[String]] = []

    package init(_ columns: [(title: String, kind: Kind)]) { self.columns = columns }

    package mutating func add(_ row: [String]) {
        rows.append(row.map(Self.printable))
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// The titles and the rows, each column as wide as its widest cell; the last column is not
    /// padded.
    package var lines: [String] {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = row.enumerated().map { index, cell in
                let padding = String(repeating: " ", count: widths[index] - cell.count)
                if columns[index].kind == .right { return padding + cell }
                return index == row.count - 1 ? cell : cell + padding
            }
            return cells.joined(separator: "  ")
        }
    }

    /// The text without control characters: input from outside must not control the terminal.
    package static func printable(_ text: String) -> String { text.withoutSteering }
}

// MARK: On a terminal

extension TextTable {
    /// The columns shown, and their widths.
    package struct Layout: Sendable {
        fileprivate var columns: [Int]
        fileprivate var widths: [Int]
    }

    /// Minimum width of a column that is cut.
    private static let cutWidthMin = 6
    /// Minimum width of the last column, which is cut first: it usually explains a code before it.
    private static let lastWidthMin = 10
    private static let gap = "  "

    /// The lines for `terminal`, titles first. Empty columns are left out, and text columns are cut
    /// to fit. Returns ``lines`` if the output is not a terminal.
    package func lines(on terminal: Terminal) -> [String] {
        guard terminal.width != nil || terminal.hasColor else { return lines }
        let layout = layout(on: terminal)
        return [titleLine(layout, terminal)] + rowLines(layout, on: terminal)
    }

    /// The layout of these rows. With `minimum`, it also suits later rows: no column is left out,
    /// and each has at least this width.
    package func layout(on terminal: Terminal, minimum: [Int]? = nil) -> Layout {
        let shown = rows.map { row in columns.indices.map { text(row[$0], $0, terminal) } }
        let kept = columns.indices.filter { column in
            minimum != nil || shown.contains { !$0[column].isEmpty }
        }
        var widths = kept.map { column in
            let cells = shown.map { $0[column].count } + [columns[column].title.count]
            return max(cells.max() ?? 0, minimum?[column] ?? 0)
        }
        guard let width = terminal.width else { return Layout(columns: kept, widths: widths) }
        var excess = widths.reduce(0, +) + Self.gap.count * (kept.count - 1) - width
        if excess > 0, let last = kept.last, columns[last].kind == .left {
            let cut = max(0, min(excess, widths[kept.count - 1] - Self.lastWidthMin))
            widths[kept.count - 1] -= cut
            excess -= cut
        }
        // Cuts the widest text first, and never numbers: part of a number is another number.
        while excess > 0 {
            let places = kept.indices.filter { columns[kept[$0]].kind == .left }
            guard let widest = places.max(by: { widths[$0] < widths[$1] }),
                widths[widest] > Self.cutWidthMin
            else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return Layout(columns: kept, widths: widths)
    }

    package func titleLine(_ layout: Layout, _ terminal: Terminal) -> String {
        line(layout) {
            columns[$0].title
        } style: {
            terminal.bold($1)
        }
    }

    package func rowLines(_ layout: Layout, on terminal: Terminal) -> [String] {
        rows.map { row in
            line(layout) {
                text(row[$0], $0, terminal)
            } style: { column, cell in
                columns[column].kind == .word ? terminal.colored(cell, as: row[column]) : cell
            }
        }
    }

    private func text(_ cell: String, _ column: Int, _ terminal: Terminal) -> String {
        columns[column].kind == .time ? terminal.time(cell) : cell
    }

    private func line(
        _ layout: Layout, _ text: (Int) -> String, style: (Int, String) -> String
    ) -> String {
        var line = ""
        for (place, column) in layout.columns.enumerated() {
            let width = layout.widths[place]
            let full = text(column)
            let isRight = columns[column].kind == .right
            let cell = !isRight && full.count > width ? full.prefix(width - 1) + "…" : full[...]
            let padding = String(repeating: " ", count: max(0, width - cell.count))
            let styled = style(column, String(cell))
            let isLast = place == layout.columns.count - 1
            if place > 0 { line += Self.gap }
            line += isRight ? padding + styled : isLast ? styled : styled + padding
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
