import HTTP
import HTTPServer
import JSON
import Store

/// `GET /events`: the feed by pages, by long polls, or as a stream.
struct EventRoutes: Sendable {
    let feed: EventFeed
    let announcements: Announcements

    private static let limitDefault = 100

    func events(_ request: Request, _ context: RequestContext) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: ["after", "limit", "wait"])
        let after = try parameters.integer("after", in: 0...UInt64(Int64.max)) ?? 0
        let seconds = try Holding.seconds(parameters)
        let limit = try parameters.integer("limit", in: 1...EventPage.countMax)
        if Accept.choose(request, from: ["application/json", "text/event-stream"]) == 1 {
            return stream(after: try Self.resumption(request) ?? after, context)
        }
        return try await page(
            after: after, limit: limit ?? Self.limitDefault, seconds: seconds, context)
    }

    private func page(
        after: UInt64, limit: Int, seconds: Int, _ context: RequestContext
    ) async throws(Problem) -> Response {
        let watch = announcements.watchRecords()
        var page = EventPage(next: after)
        do {
            _ = try await Holding.hold(watch, seconds: seconds, context.presence) {
                page = try await feed.page(after: after, limit: limit)
                return page.events.isEmpty ? nil : true
            }
        } catch {
            throw Problem(500, "journal_unreadable", "\(error)")
        }
        return .json(200, Self.encode(page))
    }

    private static func encode(_ page: EventPage) -> [UInt8] {
        var writer = JSONWriter(reserving: page.events.reduce(64) { $0 + $1.record.count + 1 })
        writer.beginObject()
        writer.key("events")
        writer.beginArray()
        for event in page.events { writer.raw(event.record[...]) }
        writer.endArray()
        writer.key("next")
        writer.integer(page.next)
        writer.endObject()
        return writer.bytes
    }

    /// Where an `EventSource` says that it stopped.
    private static func resumption(_ request: Request) throws(Problem) -> UInt64? {
        guard let value = request.values("last-event-id").last, !value.isEmpty else { return nil }
        let text = String(decoding: value, as: UTF8.self)
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let sequence = UInt64(text),
            sequence <= UInt64(Int64.max)
        else {
            throw Problem(400, "header_invalid", "`Last-Event-ID` must be a sequence")
        }
        return sequence
    }

    private func stream(after: UInt64, _ context: RequestContext) -> Response {
        var response = Response(
            status: 200,
            fields: [
                ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
                // Reverse proxies that buffer answers by default leave this one alone.
                ("X-Accel-Buffering", "no"),
            ])
        let stream = EventStream(
            feed: feed, announcements: announcements, presence: context.presence)
        response.stream = { writer in try await stream.run(after: after, to: writer) }
        return response
    }
}
