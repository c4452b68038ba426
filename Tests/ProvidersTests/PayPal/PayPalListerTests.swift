import Bytes
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// PayPal's list of event notifications.
@Suite struct PayPalListerTests {
    private static let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private static let token = InquiryToken("tok", expires: Timestamp(microseconds: .max))
    private static let path = "/v1/notifications/webhooks-events"

    private let settings: EndpointSettings
    private let lister: any EventLister

    init() throws {
        var settings = try #require(ProviderFixture.named("paypal")).endpoint.settings
        settings["clientID", .inquiry] = "id"
        settings["clientSecret", .inquiry] = "secret"
        self.settings = settings
        let make = try #require(ProviderDescriptor.paypal.inquiry?.makeLister)
        lister = try make(settings)
    }

    /// Reads one page with one answer after the other. Returns the requests and the last step.
    private func read(
        _ answers: [(status: Int, body: String)], cursor: String? = nil, days: Int64 = 1,
        token: InquiryToken? = token
    ) throws -> (requests: [InquiryRequest], step: EventListingStep) {
        let since = Timestamp(microseconds: Self.now.microseconds - days * 86_400_000_000)
        var listing = EventListing(since: since, until: Self.now, cursor: cursor, token: token)
        var requests: [InquiryRequest] = []
        for (status, body) in answers {
            guard case .ask(let request) = try lister.next(listing, now: Self.now) else { break }
            requests.append(request)
            listing.append(
                InquiryExchange(
                    request,
                    InquiryAnswer(
                        status: status, headers: [], body: Array(body.utf8), received: Self.now)))
        }
        #expect(requests.count == answers.count)
        return (requests, try lister.next(listing, now: Self.now))
    }

    private func list(_ events: String, next: String? = nil) -> String {
        let link = next.map { #"{"href":"\#($0)","rel":"next","method":"GET"}"# } ?? ""
        return #"{"events":[\#(events)],"count":1,"links":[{"rel":"self","href":"x"}"#
            + (next == nil ? "" : ",\(link)") + "]}"
    }

    @Test func `a page is asked for with a token`() throws {
        let granted = (200, #"{"access_token":"A21","expires_in":32400}"#)
        let (requests, step) = try read([granted, (200, list(#"{"id":"WH-1"}"#))], token: nil)
        #expect(requests.map(\.target)[0] == "/v1/oauth2/token")
        #expect(
            requests[1].target == Self.path
                + "?start_time=2026-09-20T14%3A13%3A20Z&end_time=2026-09-21T14%3A13%3A20Z"
                + "&page_size=50")
        #expect(requests[1].isBearer("A21"))
        guard case .page(let page) = step else { throw InquiryError.signingFailed }
        #expect(page.entries == [Array(#"{"id":"WH-1"}"#.utf8)] && page.next == nil)
        #expect(page.token?.text == "A21")
        // One that was revoked is fetched anew.
        let again = try read([(401, ""), granted, (200, list(""))])
        #expect(again.requests.map(\.method) == ["GET", "POST", "GET"])
        // PayPal keeps 30 days.
        let old = try read([(200, list(""))], days: 90).requests[0].target
        #expect(old.contains("start_time=2026-08-22T14%3A13%3A20Z&"))
    }

    @Test func `the next page is the query of its link`() throws {
        let event = #"{"id":"WH-1"}"#
        let query = "start_time=2026-09-20T14:13:20Z&move_to=next&next_page_token=7"
        // Another host is never asked.
        for host in ["https://api-m.paypal.com", "https://attacker.example"] {
            let link = "\(host)\(Self.path)?\(query)"
            guard case .page(let page) = try read([(200, list(event, next: link))]).step else {
                throw InquiryError.signingFailed
            }
            #expect(page.next == query)
        }
        let asked = try read([(200, list(""))], cursor: query).requests[0].target
        #expect(asked == "\(Self.path)?\(query)")
        // A page without events is the last one.
        let last = try read([(200, list("", next: "https://x\(Self.path)?\(query)"))]).step
        #expect(last == .page(EventPage([], next: nil, token: Self.token)))
    }

    @Test func `anything else is no page`() throws {
        let event = #"{"id":"WH-1"}"#
        let long = String(repeating: "x", count: 3000)
        for (status, body, verdict) in [
            (200, "<html>", .retry), (200, "{}", .retry), (500, "", .retry), (429, "", .retry),
            (403, "", .denied), (400, "{}", .retry),
            (200, list(event, next: "https://x/v1/other?a=b"), .unreadable),
            (200, list(event, next: "https://x\(Self.path)"), .unreadable),
            (200, list(event, next: "https://x\(Self.path)?a b"), .unreadable),
            (200, list(event, next: "https://x\(Self.path)?\(long)"), .unreadable),
            (200, list(event, next: "https://x\(Self.path)?same"), .unreadable),
        ] as [(Int, String, InquiryVerdict)] {
            guard case .none(let finding) = try read([(status, body)], cursor: "same").step else {
                Issue.record("\(body)")
                continue
            }
            #expect(finding.verdict == verdict && finding.facts.isEmpty, "\(body)")
        }
        for cursor in ["a b", "a\r\nb", "a#b", long] {
            guard case .none(let finding) = try read([], cursor: cursor).step else {
                Issue.record("\(cursor)")
                continue
            }
            #expect(finding.reason == "cursor_malformed")
        }
        guard case .none(let refused) = try read([(401, "")], token: nil).step else { return }
        #expect(refused.verdict == .denied && refused.reason == "token_refused")
    }

    /// Otherwise it would contradict the notification.
    @Test func `an entry is read as its notification is`() throws {
        let provider = try PayPal(settings: settings)
        let sender = try PayPalSender(settings: settings)
        for (number, type) in [EventType.paid, .refunded, .disputed, .failed].enumerated() {
            let event = SampleEvent.sample(type, reference: "R-1", number: number + 1)
            let signed = try sender.sign(event, path: "/ipn").delivery
            let told = try provider.interpret(provider.verify(signed).evidence)
            #expect(lister.notifications(in: signed.body) == [told])
        }
    }

    @Test func `the responder's pages have every event once`() throws {
        let sender = try PayPalSender(settings: settings)
        let responder = try PayPalResponder(settings: settings)
        let events = try ListedPages.events(250, sender, until: Self.now)
        let listed = try ListedPages(lister, responder, events, now: Self.now)
        let ids = Set(listed.notifications.map(\.id))
        #expect(listed.pages == 5 && listed.notifications.count == 250 && ids.count == 250)
        #expect(listed.requests.allSatisfy { responder.serves($0) })
    }
}
