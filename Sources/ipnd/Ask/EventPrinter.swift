import JSON
import Simulator

/// Prints records as they come: JSON Lines, or lines with columns wide enough for most.
final class EventPrinter {
    struct ReaderIsGone: Error {}

    private static let widths = [8, 27, 12, 11, 11, 9, 24, 18]

    private let isJSON: Bool
    private var lines: [UInt8] = []
    private var hasTitles = false

    init(isJSON: Bool) { self.isJSON = isJSON }

    func add(_ record: JSONValue) {
        if isJSON {
            lines += record.rawBytes
            lines.append(UInt8(ascii: "\n"))
            return
        }
        if !hasTitles {
            add([
                "sequence", "received", "endpoint", "kind", "event", "outcome", "order", "status",
                "amount",
            ])
            hasTitles = true
        }
        let event = record["event"]
        let order = record["order"]
        let flags = record["flags"].map { $0.elements.compactMap(\.string) } ?? []
        add([
            record["sequence"]?.lexeme ?? "", record["received"]?.string ?? "",
            record["endpoint"]?.string ?? "", event?["kind"]?.string ?? "",
            event?["status"]?.string ?? "", record["outcome"]?.string ?? "",
            order?["reference"]?.string ?? "", order?["status"]?.string ?? "",
            ([OrdersCommand.money(order?["amount"])] + flags).joined(separator: " "),
        ])
    }

    private func add(_ cells: [String]) {
        let padded = cells.enumerated().map { index, cell in
            let text = TextTable.printable(cell)
            guard index < Self.widths.count else { return text }
            return text + String(repeating: " ", count: max(0, Self.widths[index] - text.count))
        }
        lines += Array((padded.joined(separator: " ") + "\n").utf8)
    }

    /// Writes what was added. Throws when nobody reads any more.
    func flush() throws {
        guard !lines.isEmpty else { return }
        defer { lines.removeAll(keepingCapacity: true) }
        guard StandardOutput.write(lines) else { throw ReaderIsGone() }
    }
}
