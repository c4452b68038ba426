/// Columns for people to read.
package struct TextTable: Sendable {
    package enum Alignment: Sendable { case left, right }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[String]] = []

    package init(_ columns: [(title: String, alignment: Alignment)]) { self.columns = columns }

    package mutating func add(_ row: [String]) {
        rows.append(row.map(Self.printable))
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// The title line and the rows, each column as wide as its widest cell; the last one is left
    /// ragged.
    package var lines: [String] {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = row.enumerated().map { index, cell in
                let padding = String(repeating: " ", count: widths[index] - cell.count)
                if columns[index].alignment == .right { return padding + cell }
                return index == row.count - 1 ? cell : cell + padding
            }
            return cells.joined(separator: "  ")
        }
    }

    /// What strangers sent must not steer the terminal.
    package static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isControl ? "\u{FFFD}" : $0 }))
    }
}

extension Unicode.Scalar {
    /// C0, DEL and C1 (ISO 6429), and the bidirectional controls, which reorder a line.
    fileprivate var isControl: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || (0x202A...0x202E).contains(value)
            || (0x2066...0x2069).contains(value)
    }
}
