import HTTP
import JSON
import Store

/// An export of all orders that a query matches, in constant memory: the next page is read when the
/// client has taken the previous one. No transaction is open meanwhile, so an order that changes
/// during a long export appears once, as it is when its page is read.
struct OrderExport: Sendable {
    enum Form: Sendable {
        case csv, ndjson

        var mediaType: String {
            switch self {
            case .csv: "text/csv; charset=utf-8; header=present"
            case .ndjson: "application/x-ndjson"
            }
        }
    }

    let lists: any OrderLists
    let form: Form
    /// Nil for all.
    let limit: Int?
    /// False for viewers. CSV never has metadata.
    let showsMetadata: Bool

    func run(_ start: OrderQuery, to writer: any BodyWriter) async throws {
        var query = start
        var rest = limit ?? .max
        if form == .csv { try await writer.write(Array("\(OrderCSV.header)\r\n".utf8)) }
        while rest > 0 {
            // Only the text is kept while a slow client reads it, not the orders.
            let (bytes, count, cursor) = try await nextPart(query, rest: rest)
            try await writer.write(bytes)
            rest -= count
            guard let cursor else { return }
            query.cursor = cursor
        }
    }

    private func nextPart(
        _ query: OrderQuery, rest: Int
    ) async throws -> (bytes: [UInt8], count: Int, cursor: UInt64?) {
        // If this fails, the answer ends without its last chunk, so that no client takes a part for
        // the whole.
        let page = try await lists.page(query, limit: min(rest, OrderListPage.countMax))
        return (encode(page.orders), page.orders.count, page.cursor)
    }

    private func encode(_ orders: [ListedOrder]) -> [UInt8] {
        var bytes: [UInt8] = []
        for order in orders {
            switch form {
            case .csv: bytes.append(contentsOf: "\(OrderCSV.line(order))\r\n".utf8)
            case .ndjson:
                var writer = JSONWriter(appendingTo: bytes)
                bytes = []
                order.shown(metadata: showsMetadata).write(to: &writer)
                bytes = writer.takeBytes()
                bytes.append(UInt8(ascii: "\n"))
            }
        }
        return bytes
    }
}
