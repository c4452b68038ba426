import HTTP
import Payments
import Platform
import Store

/// `GET /orders`: the list by pages, or an export.
struct OrderListRoutes: Sendable {
    static let parameters = OrderQuery.parameters + ["limit"]

    let lists: any OrderLists
    let store: any Store
    /// The longest wait, in milliseconds, for the index to contain the records that were durable
    /// when the list was asked for.
    let waitMillisecondsMax: Int
    let clock: any Clock

    /// The pause between two looks at an index that lags.
    private static let lookMilliseconds = 5

    private static let limitDefault = 100

    func list(
        _ request: Request, _ caller: AdminCaller
    ) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: Self.parameters)
        if let form = Self.form(for: request) { return try await export(form, parameters, caller) }
        let answer = try await page(parameters, caller)
        return .json(200, answer.json(reserving: 256 + answer.orders.count * 384))
    }

    /// The form of the export that a request prefers; nil for pages of JSON.
    static func form(for request: Request) -> OrderExport.Form? {
        let offered = ["application/json", "text/csv", "application/x-ndjson"]
        return switch Accept.choose(request, from: offered) {
        case 1: .csv
        case 2: .ndjson
        default: nil
        }
    }

    func export(
        _ form: OrderExport.Form, _ parameters: QueryParameters, _ caller: AdminCaller
    ) async throws(Problem) -> Response {
        var query = try OrderQuery(parameters)
        let limit = try parameters.integer("limit", in: 1...Int.max)
        let known: UInt64
        do throws(ReadFailure) {
            known = try await sequence(query)
            query = try await found(query)
        } catch {
            throw Problem(error)
        }
        let start = query
        let export = OrderExport(
            lists: lists, form: form, limit: limit, showsMetadata: caller.seesPersonalData)
        var response = Response(
            status: 200,
            fields: [
                ("Content-Type", form.mediaType), ("Cache-Control", "no-store"),
                ("IPND-Indexed", "\(known)"),
            ])
        response.stream = { writer in try await export.run(start, to: writer) }
        return response
    }

    func page(
        _ parameters: QueryParameters, _ caller: AdminCaller
    ) async throws(Problem) -> OrderListAnswer {
        let query = try OrderQuery(parameters)
        let limit = try parameters.integer("limit", in: 1...OrderListPage.countMax)
        var answer = OrderListAnswer()
        do throws(ReadFailure) {
            // Read before the page, so that the page is never older than it says.
            answer.indexed = try await sequence(query)
            let page = try await lists.page(found(query), limit: limit ?? Self.limitDefault)
            answer.orders = page.orders.map { $0.shown(metadata: caller.seesPersonalData) }
            answer.next = page.cursor.map { "\($0)" }
        } catch {
            throw Problem(error)
        }
        answer.recorded = max(answer.indexed, store.commitFeed.durableSequence)
        return answer
    }

    private func found(_ query: OrderQuery) async throws(ReadFailure) -> OrderQuery {
        try await query.finding { text async throws(ReadFailure) in
            try await store.orders(knownAs: text, endpoint: query.endpoint)
        }
    }

    /// The last record that the lists contain. A client that has the answer to a notification finds
    /// its record in the list, because this waits for the index for a bounded time. Later pages
    /// need no wait, because the first one waited.
    private func sequence(_ query: OrderQuery) async throws(ReadFailure) -> UInt64 {
        var known = try await lists.sequence()
        guard lists.isBehind, waitMillisecondsMax > 0, query.cursor == nil else { return known }
        let wanted = store.commitFeed.durableSequence
        let deadline = clock.now.advanced(
            nanoseconds: UInt64(waitMillisecondsMax) * 1_000_000)
        while known < wanted, clock.now < deadline, !Task.isCancelled {
            try? await clock.sleep(milliseconds: Self.lookMilliseconds)
            known = try await lists.sequence()
        }
        return known
    }
}

extension ListedOrder {
    /// The order with or without the metadata of its expectation.
    func shown(metadata isShown: Bool) -> ListedOrder {
        guard !isShown else { return self }
        var shown = self
        shown.metadata = nil
        return shown
    }
}
