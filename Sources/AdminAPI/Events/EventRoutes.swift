import HTTP
import HTTPServer
import JSON
import Platform
import Records
import Store

/// `GET /events`: the feed by pages, by long polls, or as a stream.
struct EventRoutes: Sendable {
    let feed: EventFeed
    let commitFeed: CommitFeed
    let clock: any Clock
    let waiting: WaitingPlaces

    private static let limitDefault = 100

    func events(
        _ request: Request, _ context: RequestContext, _ caller: AdminCaller
    ) async throws(Problem) -> Response {
        let showsAll = caller.seesPersonalData
        let parameters = try QueryParameters(request, known: ["after", "limit", "store", "wait"])
        let after = try parameters.integer("after", in: 0...UInt64(Int64.max)) ?? 0
        let seconds = try LongPoll.seconds(parameters)
        let limit = try parameters.integer("limit", in: 1...RecordPage.countMax)
        let store: String
        do { store = try feed.identity() } catch { throw Problem(error) }
        try check(parameters["store"], store)
        if Accept.choose(request, from: ["application/json", "text/event-stream"]) == 1 {
            let start = try Self.resumption(request) ?? after
            try await check(position: start, store)
            let place = try waiting.place(for: caller)
            return stream(after: start, store, context, place, showsAll: showsAll)
        }
        try await check(position: after, store)
        let place = seconds > 0 ? try waiting.place(for: caller) : nil
        defer { place?.leave() }
        return try await page(
            after: after, limit: limit ?? Self.limitDefault, seconds: seconds, store, context,
            showsAll: showsAll)
    }

    /// Refuses a position that was read from another store.
    private func check(_ given: String?, _ store: String) throws(Problem) {
        guard let given, given != store else { return }
        throw Problem(
            409, "store_changed",
            "this is the store \(store), your position belongs to the store \(given): "
                + "start again with `after=0`")
    }

    /// Refuses a position beyond the end: it was read from another store, or from this one before
    /// its last records were lost. Waiting there would never end.
    private func check(position: UInt64, _ store: String) async throws(Problem) {
        let last: UInt64
        do { last = try await feed.lastSequence(expecting: position) } catch {
            throw Problem(error)
        }
        guard position > last else { return }
        throw Problem(
            409, "position_ahead",
            "your position is \(position), the store \(store) ends with \(last): it is a "
                + "different store than the one you read, or an older copy; start again with "
                + "`after=0`")
    }

    private func page(
        after: UInt64, limit: Int, seconds: Int, _ store: String, _ context: RequestContext,
        showsAll: Bool
    ) async throws(Problem) -> Response {
        let watch = commitFeed.watchRecords()
        var body: [UInt8] = []
        do throws(ReadFailure) {
            _ = try await LongPoll.wait(
                watch, seconds: Double(seconds), clock, context.presence
            ) {
                () throws(ReadFailure) -> Bool? in
                var isEmpty = true
                (body, isEmpty) = try await feed.page(after: after, limit: limit) {
                    (encode($0, store, showsAll), $0.records.isEmpty)
                }
                return isEmpty ? nil : true
            }
        } catch {
            throw Problem(error)
        }
        return .json(200, body)
    }

    private func encode(_ page: RecordPage, _ store: String, _ showsAll: Bool) -> [UInt8] {
        var opener = feed.opener(showsAll)
        return JSONWriter.object(reserving: page.byteCount + page.records.count + 160) { json in
            json.member("store", store)
            json.member("gap", ifPresent: page.gap.map { GapAnswer($0) })
            json.array("events") { json in
                for record in page.records {
                    json.raw(record.shown(whole: showsAll, &opener)[...])
                }
            }
            json.member("next", page.next)
        }
    }

    /// Returns the position at which an `EventSource` stopped.
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

    private func stream(
        after: UInt64, _ store: String, _ context: RequestContext, _ place: WaitingPlace,
        showsAll: Bool
    ) -> Response {
        var response = Response(
            status: 200,
            fields: [
                ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
                // Reverse proxies that buffer answers by default leave this one alone.
                ("X-Accel-Buffering", "no"), ("Ipnd-Store", store),
            ])
        let stream = EventStream(
            feed: feed, commitFeed: commitFeed, clock: clock, presence: context.presence,
            showsAll: showsAll)
        response.stream = { writer in
            defer { place.leave() }
            try await stream.run(after: after, to: writer)
        }
        return response
    }
}

extension WaitingPlaces {
    /// Throws `too_many_waiting`.
    func place(for caller: AdminCaller) throws(Problem) -> WaitingPlace {
        let person = "\(caller.role.rawValue) \(caller.remote)"
        guard let place = take(caller.role, person) else { throw .tooManyWaiting }
        return place
    }
}

extension RecordPage.Record {
    /// The record, or the part of it that a viewer may see.
    ///
    /// - Parameter opener: Opens sealed records; nil where they are stored as they are.
    func shown(whole: Bool, _ opener: inout RecordOpener?) -> [UInt8] {
        // One that was changed is shown as it is stored.
        if whole { return (try? opener?.open(bytes)) ?? bytes }
        // A record that cannot be read is hidden, rather than shown with personal data.
        return (try? bytes.withUnsafeBytes { try RecordHead.withoutPersonalData($0) })
            ?? Array(#"{"sequence":\#(sequence)}"#.utf8)
    }
}
