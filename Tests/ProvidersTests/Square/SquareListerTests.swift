import Bytes
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Square's list of events.
@Suite struct SquareListerTests {
    private let now = Timestamp(iso8601: "2026-11-28T12:00:00Z")!
    private let descriptor: ProviderDescriptor
    private let settings: EndpointSettings
    private let lister: any EventLister

    init() throws {
        let fixture = try #require(ProviderFixture.named("square"))
        descriptor = fixture.descriptor
        settings = fixture.endpoint.settings
        let make = try #require(descriptor.inquiry?.makeLister)
        lister = try make(settings)
    }

    private func step(
        _ answer: String, status: Int = 200, cursor: String? = nil,
        by lister: (any EventLister)? = nil
    ) throws -> EventListingStep {
        let lister = lister ?? self.lister
        var listing = EventListing(
            since: Timestamp(iso8601: "2026-11-20T00:00:00Z")!, until: now, cursor: cursor)
        guard case .ask(let request) = try lister.next(listing, now: now) else {
            throw InquiryError.signingFailed
        }
        listing.append(
            InquiryExchange(
                request,
                InquiryAnswer(
                    status: status, headers: [], body: Array(answer.utf8), received: now)))
        return try lister.next(listing, now: now)
    }

    private func request(
        since: String, cursor: String? = nil, _ settings: EndpointSettings? = nil
    ) throws -> InquiryRequest? {
        let listing = EventListing(
            since: Timestamp(iso8601: since)!, until: now, cursor: cursor)
        let lister = try descriptor.inquiry?.makeLister?(settings ?? self.settings)
        guard case .ask(let request) = try lister?.next(listing, now: now) else { return nil }
        #expect(request.method == "POST" && request.target == "/v2/events")
        #expect(request.isBearer("accessToken_of_first"))
        return request
    }

    @Test func `the kinds of a subscription are asked for, and 28 days at most`() throws {
        var own = settings
        own["merchantID"] = .text("ML1")
        let first = try #require(try request(since: "2026-11-20T00:00:00Z", own))
        let types =
            "payment.created,payment.updated,refund.created,refund.updated,"
            + "dispute.created,dispute.state.updated"
        let list = types.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ",")
        #expect(
            String(decoding: first.body, as: UTF8.self)
                == #"{"limit":100,"query":{"filter":{"event_types":[\#(list)],"#
                + #""merchant_ids":["ML1"],"created_at":{"start_at":"2026-11-20T00:00:00Z","#
                + #""end_at":"2026-11-28T12:00:00Z"}}}}"#)
        own["merchantID"] = nil
        let second = try #require(
            try request(since: "2026-10-01T00:00:00Z", cursor: "c==", own))
        let root = try JSONDocument(parsing: second.body).root
        let filter = try #require(root["query"]?["filter"])
        #expect(root["cursor"]?.string == "c==" && filter["merchant_ids"] == nil)
        #expect(filter["created_at"]?["start_at"]?.string == "2026-10-31T12:00:00Z")
    }

    private func list(_ events: String, _ more: String = "") -> String {
        #"{"events":[\#(events)]\#(more)}"#
    }

    @Test func `a page has the events as they stand in it, and where the next begins`() throws {
        var own = settings
        own["merchantID"] = nil
        let lister = try #require(try descriptor.inquiry?.makeLister?(own))
        let events = [#"{"event_id":"2"}"#, #"{ "event_id": "1" }"#]
        let entries = events.map { Array($0.utf8) }
        let page = events.joined(separator: ",")
        for (more, next) in [
            ("", nil), (#","cursor":"""#, nil), (#","cursor":null"#, nil),
            (#","cursor":"x/y+z=","metadata":[]"#, "x/y+z="),
        ] as [(String, String?)] {
            #expect(
                try step(list(page, more), by: lister) == .page(EventPage(entries, next: next)))
        }
        #expect(try step("{}", by: lister) == .page(EventPage([], next: nil)))
        #expect(try step(list(""), by: lister) == .page(EventPage([], next: nil)))
    }

    /// An application has the events of all its merchants.
    @Test func `events of another merchant are left out`() throws {
        var own = settings
        own["merchantID"] = .text("ML1")
        let lister = try #require(try descriptor.inquiry?.makeLister?(own))
        let ours = #"{"merchant_id":"ML1"}"#
        let page = list(#"\#(ours),{"merchant_id":"ML2"},{}"#)
        #expect(
            try step(page, by: lister) == .page(EventPage([Array(ours.utf8)], next: nil)))
    }

    @Test func `anything else is no page`() throws {
        let long = String(repeating: "c", count: 257)
        for (answer, status, verdict) in [
            ("<html>", 200, .retry), ("", 500, .retry), ("", 429, .retry),
            (#"{"errors":[]}"#, 400, .denied), ("{}", 401, .denied), ("{}", 403, .denied),
            (#"{"events":{}}"#, 200, .retry), (#"{"errors":[{"code":"X"}]}"#, 200, .retry),
            (list("", #","cursor":7"#), 200, .unreadable),
            (list("", #","cursor":"a b""#), 200, .unreadable),
            (list("", #","cursor":"\#(long)""#), 200, .unreadable),
            (list("", #","cursor":"same""#), 200, .unreadable),
            (#"{"events":[],"events":[]}"#, 200, .unreadable),
        ] as [(String, Int, InquiryVerdict)] {
            let step = try step(answer, status: status, cursor: "same")
            guard case .none(let finding) = step else {
                Issue.record("\(answer): \(step)")
                continue
            }
            #expect(finding.verdict == verdict && finding.facts.isEmpty, "\(answer)")
        }
        for cursor in ["", "a b", "a\n", long] {
            let listing = EventListing(since: now, until: now, cursor: cursor)
            guard case .none(let finding) = try lister.next(listing, now: now) else {
                Issue.record("\(cursor)")
                continue
            }
            #expect(finding.reason == "cursor_malformed")
        }
    }

    /// An event has the same identity, kind and content as its notification.
    @Test func `an entry is read as its notification is`() throws {
        let world = try RespondingWorld(#require(ProviderFixture.named("square")))
        let life = try #require(
            try world.life([.authorized, .paid, .refunded, .disputed, .disputeWon]))
        let told = try world.notifications(life)
        let bodies = try life.events.map { try world.sender.sign($0, path: "/ipn").body }
        #expect(bodies.flatMap { lister.notifications(in: $0) } == told)
        #expect(told.count == 5 && told.allSatisfy { !$0.id.hasPrefix("inquiry") })
    }

    @Test func `the responder's pages have every event once`() throws {
        let sender = try descriptor.makeSender(settings)
        let responder = try #require(descriptor.inquiry).makeResponder(settings)
        let events = try ListedPages.events(250, sender, until: now)
        let listed = try ListedPages(lister, responder, events, now: now)
        let all = events.flatMap { lister.notifications(in: $0.body) }.map(\.id)
        #expect(listed.pages == 3 && listed.notifications.map(\.id).sorted() == all.sorted())
        #expect(Set(all).count == 250 && listed.requests.allSatisfy { responder.serves($0) })
    }
}
