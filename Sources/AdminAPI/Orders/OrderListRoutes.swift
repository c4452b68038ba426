import HTTP
import JSON
import Payments
import Platform
import Store

/// `GET /orders`: the list by pages, or an export.
struct OrderListRoutes: Sendable {
    let lists: any OrderLists
    let store: any Store
    /// How long a list waits for what was recorded before it was asked for, in milliseconds.
    let waitMillisecondsMax: Int
    let clock: any Clock

    /// How soon an index that follows is looked at again.
    private static let lookMilliseconds = 5

    private static let limitDefault = 100

    func list(
        _ request: Request, _ caller: AdminCaller
    ) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: OrderQuery.parameters + ["limit"])
        let query = try OrderQuery(parameters)
        let showsAll = caller.seesPersonalData
        let offered = ["application/json", "text/csv", "application/x-ndjson"]
        switch Accept.choose(request, from: offered) {
        case 1: return try await export(query, .csv, parameters, showsAll)
        case 2: return try await export(query, .ndjson, parameters, showsAll)
        default: return try await page(query, parameters, showsAll)
        }
    }

    private func export(
        _ query: OrderQuery, _ form: OrderExport.Form, _ parameters: QueryParameters,
        _ showsAll: Bool
    ) async throws(Problem) -> Response {
        let limit = try parameters.integer("limit", in: 1...Int.max)
        let known: UInt64
        do { known = try await sequence(query) } catch { throw Problem(error) }
        let export = OrderExport(
            lists: lists, form: form, limit: limit, showsMetadata: showsAll)
        var response = Response(
            status: 200,
            fields: [
                ("Content-Type", form.mediaType), ("Cache-Control", "no-store"),
                ("IPND-Indexed", "\(known)"),
            ])
        response.stream = { writer in try await export.run(query, to: writer) }
        return response
    }

    private func page(
        _ query: OrderQuery, _ parameters: QueryParameters, _ showsAll: Bool
    ) async throws(Problem) -> Response {
        let limit = try parameters.integer("limit", in: 1...OrderListPage.countMax)
        let known: UInt64
        let page: OrderListPage
        do throws(ReadFailure) {
            // Before the look, so that the page is never older than it says.
            known = try await sequence(query)
            page = try await lists.page(query, limit: limit ?? Self.limitDefault)
        } catch {
            throw Problem(error)
        }
        var writer = JSONWriter(reserving: 256 + page.orders.count * 384)
        writer.beginObject()
        writer.key("orders")
        writer.beginArray()
        for order in page.orders { order.write(to: &writer, showsMetadata: showsAll) }
        writer.endArray()
        writer.key("next")
        if let cursor = page.cursor { writer.string("\(cursor)") } else { writer.null() }
        writer.key("indexed")
        writer.integer(known)
        writer.key("recorded")
        writer.integer(max(known, store.commitFeed.durableSequence))
        writer.endObject()
        return .json(200, writer.bytes)
    }

    /// The last record that the lists know of. A client that was told of a record finds it in
    /// the list: the index is waited for, for a bounded time. Later pages need no wait, because the
    /// first one waited.
    private func sequence(_ query: OrderQuery) async throws(ReadFailure) -> UInt64 {
        var known = try await lists.sequence()
        guard lists.isBehind, waitMillisecondsMax > 0, query.cursor == nil else { return known }
        let wanted = store.commitFeed.durableSequence
        let patience = clock.now.advanced(
            nanoseconds: UInt64(waitMillisecondsMax) * 1_000_000)
        while known < wanted, clock.now < patience, !Task.isCancelled {
            try? await clock.sleep(milliseconds: Self.lookMilliseconds)
            known = try await lists.sequence()
        }
        return known
    }
}
