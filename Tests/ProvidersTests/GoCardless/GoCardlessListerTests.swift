import Bytes
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// GoCardless' list of events.
@Suite struct GoCardlessListerTests {
    private let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private let descriptor: ProviderDescriptor
    private let settings: EndpointSettings
    private let lister: any EventLister

    init() throws {
        let fixture = ProviderFixture.gocardless
        descriptor = fixture.descriptor
        settings = fixture.endpoint.settings
        let make = try #require(descriptor.inquiry?.makeLister)
        lister = try make(settings)
    }

    private func step(
        _ answer: String, status: Int = 200, cursor: String? = nil
    ) throws -> EventListingStep {
        var listing = EventListing(
            since: Timestamp(microseconds: 5_000_000), until: now, cursor: cursor)
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

    private func target(cursor: String?) throws -> String {
        let listing = EventListing(
            since: Timestamp(microseconds: 5_000_000), until: now, cursor: cursor)
        guard case .ask(let request) = try lister.next(listing, now: now) else { return "" }
        #expect(request.method == "GET" && request.isBearer("accessToken_of_first"))
        return request.target
    }

    @Test func `a time is asked for, and the page after an event`() throws {
        let first = try target(cursor: nil)
        #expect(
            first == "/events?created_at%5Bgte%5D=1970-01-01T00%3A00%3A05Z"
                + "&created_at%5Blte%5D=2026-09-21T14%3A13%3A20Z&limit=250")
        #expect(try target(cursor: "EV9") == "\(first)&after=EV9")
    }

    private func list(_ events: String, after: String) -> String {
        #"{"events":[\#(events)],"meta":{"cursors":{"before":null,"after":\#(after)},"limit":50}}"#
    }

    @Test func `a page has the events as they stand in it, and where the next begins`() throws {
        let events = [#"{"id":"EV2"}"#, #"{ "id": "EV1" }"#]
        let entries = events.map { Array($0.utf8) }
        let page = events.joined(separator: ",")
        #expect(try step(list(page, after: "\"EV1\"")) == .page(EventPage(entries, next: "EV1")))
        #expect(try step(list(page, after: "null")) == .page(EventPage(entries, next: nil)))
        #expect(try step(list("", after: "null")) == .page(EventPage([], next: nil)))
    }

    @Test func `anything else is no page`() throws {
        for (answer, status, verdict) in [
            ("<html>", 200, .retry), ("{}", 200, .retry), ("", 500, .retry), ("", 429, .retry),
            ("{}", 401, .denied), ("{}", 403, .denied),
            (#"{"events":[]}"#, 200, .retry), (#"{"events":{},"meta":{}}"#, 200, .retry),
            (list("{}", after: "7"), 200, .unreadable),
            (list("{}", after: "\"\""), 200, .unreadable),
            (list("{}", after: "\"a b\""), 200, .unreadable),
            (#"{"events":[],"events":[]}"#, 200, .unreadable),
        ] as [(String, Int, InquiryVerdict)] {
            guard case .none(let finding) = try step(answer, status: status) else {
                Issue.record("\(answer)")
                continue
            }
            #expect(finding.verdict == verdict && finding.facts.isEmpty, "\(answer)")
        }
        guard case .none(let same) = try step(list("{}", after: "\"EV1\""), cursor: "EV1") else {
            Issue.record("a page that follows itself")
            return
        }
        #expect(same.verdict == .unreadable)
        let listing = EventListing(since: now, until: now, cursor: "EV1&limit=1")
        guard case .none(let malformed) = try lister.next(listing, now: now) else {
            Issue.record("a cursor that is no id")
            return
        }
        #expect(malformed.reason == "cursor_malformed")
    }

    /// The only event of a webhook, as the list has it.
    private static func entry(_ body: [UInt8]) throws -> [UInt8] {
        let events = try #require(JSONDocument(parsing: body).root["events"])
        return Array(try #require(events.elements.first(where: { _ in true })).rawBytes)
    }

    /// An event has the same identity, kind and content as its notification.
    @Test func `an entry is read as its notification is`() throws {
        let world = try RespondingWorld(.gocardless)
        let life = try #require(
            try world.life([.pending, .paid, .refunded, .chargedBack, .refundFailed]))
        let told = try world.notifications(life)
        let entries = try life.events.map {
            try Self.entry(world.sender.sign($0, path: "/ipn").body)
        }
        #expect(entries.flatMap { lister.notifications(in: $0) } == told)
        #expect(told.count == 5 && told.allSatisfy { !$0.id.hasPrefix("inquiry") })
    }

    /// Every event is on one page, whatever the number of events of a second.
    @Test func `the responder's pages have every event once`() throws {
        let sender = try descriptor.makeSender(settings)
        let responder = try #require(descriptor.inquiry).makeResponder(settings)
        let events = try ListedPages.events(400, sender, until: now)
        let listed = try ListedPages(lister, responder, events, now: now)
        let all = try events.flatMap { lister.notifications(in: try Self.entry($0.body)) }
            .map(\.id)
        #expect(listed.pages == 2 && listed.notifications.map(\.id).sorted() == all.sorted())
        #expect(Set(all).count == 400 && listed.requests.allSatisfy { responder.serves($0) })
    }
}
