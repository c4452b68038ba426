import Bytes
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Stripe's list of events.
@Suite struct StripeListerTests {
    private let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private let descriptor: ProviderDescriptor
    private let settings: EndpointSettings
    private let lister: any EventLister

    init() throws {
        let fixture = try #require(ProviderFixture.named("stripe"))
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
        #expect(request.method == "GET" && request.isBearer("apiKey_of_first"))
        return request.target
    }

    @Test func `the kinds to which an endpoint subscribes are asked for`() throws {
        let first = try target(cursor: nil)
        #expect(
            first.hasPrefix(
                "/v1/events?created%5Bgte%5D=5&created%5Blte%5D=1790000000&limit=50&types%5B%5D="))
        let types = first.split(separator: "&").filter { $0.hasPrefix("types%5B%5D=") }
        // Stripe takes no more.
        #expect((1...20).contains(types.count) && types.contains("types%5B%5D=refund.updated"))
        #expect(try target(cursor: "evt_9") == "\(first)&starting_after=evt_9")
    }

    @Test func `a page has the events as they stand in it, and where the next begins`() throws {
        let list = #"{"object":"list","data":[{"id":"evt_2"},{ "id": "evt_1" }],"has_more":"#
        let entries = [#"{"id":"evt_2"}"#, #"{ "id": "evt_1" }"#].map { Array($0.utf8) }
        #expect(try step("\(list)true}") == .page(EventPage(entries, next: "evt_1")))
        #expect(try step("\(list)false}") == .page(EventPage(entries, next: nil)))
        let none = #"{"object":"list","data":[],"has_more":false}"#
        #expect(try step(none) == .page(EventPage([], next: nil)))
    }

    @Test func `anything else is no page`() throws {
        for (answer, status, verdict) in [
            ("<html>", 200, .retry), ("{}", 200, .retry), ("", 500, .retry), ("", 429, .retry),
            ("{}", 401, .denied), ("{}", 403, .denied),
            (#"{"object":"list","data":[{"id":"a"}]}"#, 200, .retry),
            (#"{"object":"list","data":[{}],"has_more":true}"#, 200, .unreadable),
            (#"{"object":"list","data":[],"has_more":true}"#, 200, .unreadable),
            (#"{"object":"list","object":"list"}"#, 200, .unreadable),
        ] as [(String, Int, InquiryVerdict)] {
            guard case .none(let finding) = try step(answer, status: status) else {
                Issue.record("\(answer)")
                continue
            }
            #expect(finding.verdict == verdict && finding.facts.isEmpty, "\(answer)")
        }
    }

    /// An event has the same identity, kind and content as its notification.
    @Test func `an entry is read as its notification is`() throws {
        let world = try RespondingWorld(#require(ProviderFixture.named("stripe")))
        let life = try #require(
            try world.life([.authorized, .paid, .refunded, .disputed, .disputeWon]))
        let told = try world.notifications(life)
        let bodies = try life.events.map { try world.sender.sign($0, path: "/ipn").body }
        #expect(bodies.flatMap { lister.notifications(in: $0) } == told)
        #expect(told.count == 5 && told.allSatisfy { !$0.id.hasPrefix("inquiry") })
    }

    /// Every event is on one page, whatever the number of events of a second.
    @Test func `the responder's pages have every event once`() throws {
        let sender = try descriptor.makeSender(settings)
        let responder = try #require(descriptor.inquiry).makeResponder(settings)
        let events = try ListedPages.events(250, sender, until: now)
        let listed = try ListedPages(lister, responder, events, now: now)
        let all = events.flatMap { lister.notifications(in: $0.body) }.map(\.id)
        #expect(listed.pages == 5 && listed.notifications.map(\.id).sorted() == all.sorted())
        #expect(Set(all).count == 250 && listed.requests.allSatisfy { responder.serves($0) })
    }
}
