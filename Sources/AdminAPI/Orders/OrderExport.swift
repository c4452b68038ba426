import HTTP
import JSON
import Payments
import Store

/// All orders that a query names, page by page, in constant memory: the next page is read when the
/// client has taken the one before. No transaction is held open meanwhile, so an order that changes
/// during a long export appears once, as it is when its page is read.
struct OrderExport: Sendable {
    /// What an export may look like.
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
    /// False for viewers. CSV has no metadata.
    let showsMetadata: Bool

    func run(_ start: OrderQuery, to writer: any BodyWriter) async throws {
        var query = start
        var rest = limit ?? .max
        if form == .csv { try await writer.write(Array("\(OrderCSV.header)\r\n".utf8)) }
        while rest > 0 {
            // The orders themselves are not kept while a slow client takes their text.
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
        // Where it fails the answer ends without its last chunk, so that nobody takes a part for
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
                var writer = JSONWriter(reserving: 384)
                order.write(to: &writer, showsMetadata: showsMetadata)
                bytes.append(contentsOf: writer.bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
        }
        return bytes
    }
}
