import AdminAPI
import HTTP
import HTTPServer
import Platform
import Store

/// Server-sent events without content, at which a page reloads itself. So a stream needs no rules
/// of its own about what a role may see.
///
/// | event | when |
/// |---|---|
/// | `change` | something was recorded, and the lists contain it; at most four a second |
/// | `tick` | every few seconds, because figures change without a record too |
/// | `end` | the session has ended |
final class PageStreams: Sendable {
    /// Concurrent streams of each role, and of one session. A browser needs one for all its pages.
    static let perRoleMax = 64
    static let perPersonMax = 16

    private let feed: CommitFeed
    private let lists: any OrderLists
    private let clock: any Clock
    private let places = WaitingPlaces(perRoleMax: perRoleMax, perPersonMax: perPersonMax)

    init(_ feed: CommitFeed, _ lists: any OrderLists, clock: any Clock) {
        self.feed = feed
        self.lists = lists
        self.clock = clock
    }

    /// Throws `too_many_streams`.
    func response(
        _ visit: PageVisit, _ sessions: Sessions, _ access: AdminAccess
    ) throws(Problem) -> Response {
        let identifier = SessionCookie.identifier(in: visit.request)
        let person = identifier ?? visit.context.clientText
        guard let place = places.take(visit.role, person) else {
            throw Problem(503, "too_many_streams", "Too many pages are open.")
        }
        let presence = visit.context.presence
        var response = Response(
            status: 200,
            fields: [
                ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
                ("X-Accel-Buffering", "no"),
            ] + PageResponse.security)
        let stream = PageStream(
            feed: feed, lists: lists, clock: clock, place: place, presence: presence
        ) {
            guard visit.hasSession, let identifier else { return true }
            return sessions.holder(of: identifier, access, counts: false) != nil
        }
        response.stream = { writer in try await stream.run(to: writer) }
        return response
    }
}

/// One browser's stream.
struct PageStream: Sendable {
    let feed: CommitFeed
    let lists: any OrderLists
    let clock: any Clock
    let place: WaitingPlace
    let presence: ClientPresence
    let isAllowed: @Sendable () -> Bool

    private static let tickSeconds = 5.0
    private static let pauseMilliseconds = 250
    /// Number of looks at lists that lag, before the event is sent anyway.
    private static let listLooksMax = 40
    private static let listLookMilliseconds = 20

    func run(to writer: any BodyWriter) async throws {
        defer { place.leave() }
        var sent = feed.durableSequence
        try await writer.write(Array("retry: 2000\n\n".utf8))
        while !presence.hasEnded, !feed.isClosed {
            let watch = feed.watchRecords()
            let known = sent
            let fresh = await LongPoll.wait(watch, seconds: Self.tickSeconds, clock, presence) {
                let last = feed.durableSequence
                return last > known ? last : nil
            }
            guard isAllowed() else {
                return try await writer.write(Array("event: end\ndata: 0\n\n".utf8))
            }
            guard let fresh else {
                try await writer.write(Array("event: tick\ndata: \(sent)\n\n".utf8))
                continue
            }
            await awaitLists(fresh)
            sent = fresh
            try await writer.write(Array("event: change\ndata: \(fresh)\n\n".utf8))
            try await clock.sleep(milliseconds: Self.pauseMilliseconds)
        }
    }

    private func awaitLists(_ sequence: UInt64) async {
        for _ in 0..<Self.listLooksMax {
            guard let known = try? await lists.sequence(), known < sequence else { return }
            try? await clock.sleep(milliseconds: Self.listLookMilliseconds)
        }
    }
}
