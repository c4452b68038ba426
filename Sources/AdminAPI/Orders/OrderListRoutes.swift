import HTTP
import JSON
import Payments
import Store

/// `GET /orders`: the list by pages, or an export.
struct OrderListRoutes: Sendable {
    let served: ServedIndex
    let commitFeed: CommitFeed

    private static let limitDefault = 100

    func list(_ request: Request) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: OrderQuery.parameters + ["limit"])
        let query = try OrderQuery(parameters)
        let offered = ["application/json", "text/csv", "application/x-ndjson"]
        switch Accept.choose(request, from: offered) {
        case 1: return try export(query, .csv, parameters)
        case 2: return try export(query, .ndjson, parameters)
        default: return try await page(query, parameters)
        }
    }

    private func export(
        _ query: OrderQuery, _ form: OrderExport.Form, _ parameters: QueryParameters
    ) throws(Problem) -> Response {
        let limit = try parameters.integer("limit", in: 1...Int.max)
        let index = try served.present()
        let export = OrderExport(served: served, index: index, form: form, limit: limit)
        var response = Response(
            status: 200,
            fields: [
                ("Content-Type", form.mediaType), ("Cache-Control", "no-store"),
                ("IPND-Indexed", "\(index.indexedSequence)"),
            ])
        response.stream = { writer in try await export.run(query, to: writer) }
        return response
    }

    private func page(
        _ query: OrderQuery, _ parameters: QueryParameters
    ) async throws(Problem) -> Response {
        let limit = try parameters.integer("limit", in: 1...OrderIndex.pageOrdersMax)
        let (indexed, page) = try await served.read { index in
            // Before the look, so that the page is never older than it says.
            (index.indexedSequence, try await index.page(query, limit: limit ?? Self.limitDefault))
        }
        var writer = JSONWriter(reserving: 256 + page.orders.count * 384)
        writer.beginObject()
        writer.key("orders")
        writer.beginArray()
        for order in page.orders { order.write(to: &writer) }
        writer.endArray()
        writer.key("next")
        if let cursor = page.cursor { writer.string("\(cursor)") } else { writer.null() }
        writer.key("indexed")
        writer.integer(indexed)
        writer.key("recorded")
        writer.integer(commitFeed.durableSequence)
        writer.endObject()
        return .json(200, writer.bytes)
    }
}
