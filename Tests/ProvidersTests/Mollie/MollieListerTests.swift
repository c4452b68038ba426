import Bytes
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Mollie's lists of payments, refunds and chargebacks.
@Suite struct MollieListerTests {
    private static let now = Timestamp(iso8601: "2026-11-28T12:00:00Z")!
    private static let since = Timestamp(iso8601: "2026-11-20T00:00:00Z")!
    private let settings = ProviderFixture.mollie.endpoint.settings
    private let lister: MollieLister

    init() throws {
        lister = try MollieLister(settings: settings)
    }

    private func step(
        _ answer: String, status: Int = 200, cursor: String? = nil
    ) throws -> EventListingStep {
        var listing = EventListing(since: Self.since, until: Self.now, cursor: cursor)
        guard case .ask(let request) = try lister.next(listing, now: Self.now) else {
            throw InquiryError.signingFailed
        }
        listing.append(
            InquiryExchange(
                request,
                InquiryAnswer(
                    status: status, headers: [], body: Array(answer.utf8), received: Self.now)))
        return try lister.next(listing, now: Self.now)
    }

    private func target(_ cursor: String?) throws -> String {
        let listing = EventListing(since: Self.since, until: Self.now, cursor: cursor)
        guard case .ask(let request) = try lister.next(listing, now: Self.now) else { return "" }
        #expect(request.method == "GET" && request.isBearer("live_firstkey"))
        return request.target
    }

    @Test func `a cursor names the payments to fetch, and where the list goes on`() throws {
        #expect(try target(nil) == "/v2/payments?limit=100")
        #expect(try target("payments.tr_9.") == "/v2/payments?from=tr_9&limit=100")
        #expect(try target("chargebacks..") == "/v2/chargebacks?limit=100")
        #expect(
            try target("refunds.re_1.tr_1,tr_2")
                == "/v2/payments/tr_1?embed=captures,refunds,chargebacks")
        for cursor in [
            "", "payments", "payments.", "other..", "..", "payments.tr_1&a.", "payments..tr_",
            "payments..tr_1,", "payments..re_1", ".tr_1.tr_2", "payments.a/b.", "payments...",
        ] {
            let listing = EventListing(since: Self.since, until: Self.now, cursor: cursor)
            guard case .none(let finding) = try lister.next(listing, now: Self.now) else {
                Issue.record("\(cursor)")
                continue
            }
            #expect(finding.reason == "cursor_malformed", "\(cursor)")
        }
    }

    private func list(_ name: String, _ entries: [String], next: String? = nil) -> String {
        let link = next.map { #"{"href":"https://api.mollie.com/v2/\#(name)?\#($0)"}"# } ?? "null"
        return #"{"count":1,"_embedded":{"\#(name)":[\#(entries.joined(separator: ","))]},"#
            + #""_links":{"self":{},"previous":null,"next":\#(link)}}"#
    }

    private func payment(_ id: String, _ times: String...) -> String {
        let members = times.map { time in
            let parts = time.split(separator: " ")
            return #""\#(parts[0])":"\#(parts[1])T12:00:00+00:00""#
        }
        return #"{"resource":"payment","id":"\#(id)",\#(members.joined(separator: ","))}"#
    }

    @Test func `payments that may have changed are fetched`() throws {
        let page = list(
            "payments",
            [
                payment("tr_new", "createdAt 2026-11-21"),
                payment("tr_paid", "createdAt 2026-11-10", "paidAt 2026-11-20"),
                payment("tr_failed", "createdAt 2026-11-10", "failedAt 2026-11-20"),
                payment("tr_canceled", "createdAt 2026-11-10", "canceledAt 2026-11-20"),
                payment("tr_expired", "createdAt 2026-09-10", "expiredAt 2026-11-20"),
                payment("tr_authorized", "createdAt 2026-09-09", "authorizedAt 2026-11-20"),
                payment("tr_captured", "createdAt 2026-09-08", "authorizedAt 2026-11-01"),
                #"{"id":"tr_timeless"}"#,
                payment("tr_old", "createdAt 2026-09-07", "paidAt 2026-11-19"),
                payment("tr_older", "createdAt 2026-09-06", "authorizedAt 2026-10-01"),
            ], next: "from=tr_next&limit=100")
        let wanted =
            "tr_new,tr_paid,tr_failed,tr_canceled,tr_expired,tr_authorized,tr_captured,"
            + "tr_timeless"
        #expect(try step(page) == .page(EventPage([], next: "payments.tr_next.\(wanted)")))
        // Whatever is older than a payment can take is left out, and so are further pages.
        let end = list(
            "payments",
            [
                payment("tr_1", "createdAt 2026-08-11", "paidAt 2026-11-21"),
                payment("tr_2", "createdAt 2026-08-09", "paidAt 2026-11-21"),
            ], next: "from=tr_3&limit=100")
        #expect(try step(end) == .page(EventPage([], next: "refunds..tr_1")))
        #expect(try step(list("payments", [])) == .page(EventPage([], next: "refunds..")))
    }

    /// A cursor has an end; then the list is read once more from the next payment.
    @Test func `more payments than a cursor holds are left for the next page`() throws {
        let ids = (1...30).map { "tr_\($0)" }
        let page = list(
            "payments", ids.map { payment($0, "createdAt 2026-11-21") }, next: "from=tr_31")
        let first = ids.prefix(25).joined(separator: ",")
        #expect(try step(page) == .page(EventPage([], next: "payments.tr_26.\(first)")))
        let longest = MollieCursor(
            list: .chargebacks, from: String(repeating: "c", count: 64),
            payments: (1...25).map { _ in "tr_" + String(repeating: "a", count: 64) })
        #expect(longest.text.utf8.count <= 2048 && MollieCursor(longest.text) == longest)
    }

    @Test func `payments of refunds and chargebacks are fetched`() throws {
        func entry(_ payment: String, _ created: String, _ more: String = "") -> String {
            #"{"id":"x","paymentId":"\#(payment)","#
                + #""createdAt":"\#(created)T12:00:00+00:00"\#(more)}"#
        }
        let refunds = list(
            "refunds",
            [
                entry("tr_1", "2026-11-27"), entry("tr_1", "2026-11-26"),
                entry("tr_2", "2026-10-22"), entry("tr_3", "2026-10-20"),
            ])
        #expect(
            try step(refunds, cursor: "refunds..")
                == .page(EventPage([], next: "chargebacks..tr_1,tr_2")))
        let reversed = #","reversedAt":"2026-11-21T12:00:00+00:00""#
        let chargebacks = list(
            "chargebacks",
            [
                entry("tr_1", "2026-11-21", #","reversedAt":null"#),
                entry("tr_2", "2026-09-01", reversed), entry("tr_3", "2026-09-01"),
            ])
        #expect(
            try step(chargebacks, cursor: "chargebacks..")
                == .page(EventPage([], next: "..tr_1,tr_2")))
        #expect(
            try step(list("chargebacks", []), cursor: "chargebacks.chb_1.")
                == .page(EventPage([], next: nil)))
    }

    @Test func `a payment is fetched, and then the next one`() throws {
        let body = #"{"id":"tr_1","status":"open"}"#
        let entries = [Array(body.utf8)]
        for (cursor, next) in [
            ("refunds.re_1.tr_1,tr_2", "refunds.re_1.tr_2"), ("refunds..tr_1", "refunds.."),
            ("..tr_1,tr_2", "..tr_2"), ("..tr_1", nil),
        ] as [(String, String?)] {
            #expect(try step(body, cursor: cursor) == .page(EventPage(entries, next: next)))
        }
        // It may be gone.
        #expect(
            try step("{}", status: 404, cursor: "refunds..tr_1")
                == .page(EventPage([], next: "refunds..")))
    }

    @Test func `anything else is no page`() throws {
        for (cursor, answer, status, verdict) in [
            (nil, "<html>", 200, .retry), (nil, "{}", 200, .retry), (nil, "", 500, .retry),
            (nil, "", 429, .retry), (nil, "{}", 401, .denied), (nil, "{}", 403, .denied),
            (nil, list("refunds", []), 200, .retry),
            (nil, #"{"_embedded":{"payments":[]}}"#, 200, .retry),
            (nil, list("payments", ["{}"]), 200, .unreadable),
            (nil, list("payments", [#"{"id":"tr_1/.."}"#]), 200, .unreadable),
            (nil, list("payments", [], next: "limit=100"), 200, .unreadable),
            (nil, list("payments", [], next: "from=a/b"), 200, .unreadable),
            ("payments.tr_1.", list("payments", [], next: "from=tr_1"), 200, .unreadable),
            ("..tr_1", #"{"id":"tr_2","status":"open"}"#, 200, .untrusted),
            ("..tr_1", "", 503, .retry), ("..tr_1", "{}", 401, .denied),
            (nil, #"{"_embedded":{},"_embedded":{}}"#, 200, .unreadable),
        ] as [(String?, String, Int, InquiryVerdict)] {
            let step = try step(answer, status: status, cursor: cursor)
            guard case .none(let finding) = step else {
                Issue.record("\(answer): \(step)")
                continue
            }
            #expect(finding.verdict == verdict && finding.facts.isEmpty, "\(answer)")
        }
    }

    /// What was asked about before is the same event.
    @Test func `an entry is read as the answer to a question is`() throws {
        let world = try RespondingWorld(.mollie)
        let life = try #require(
            try world.life([.authorized, .captured, .refunded, .chargedBack]))
        let id = MollieEntity.paymentID(life.events[0].transaction)
        let facts = try world.ask(life, by: .transaction, id).facts.map(\.notification)
        let request = try MollieInquirer(settings: settings).request(about: id)
        let answer = world.responder.answer(request, at: ResponderMoment(now: Self.now)) { _, _ in
            life
        }
        let read = lister.notifications(in: answer.body)
        #expect(read.map(\.id) == facts.map(\.id) && read.map(\.effect) == facts.map(\.effect))
        #expect(read.count == 4 && read.allSatisfy(\.isInquiry))
        // Without its sum it is in doubt, and needs a person.
        let unread = lister.notifications(in: Array(#"{"id":"tr_1","status":"paid"}"#.utf8))
        #expect(unread.map(\.flags) == [[.notUnderstood]] && unread[0].transaction == "tr_1")
    }

    @Test func `the responder's lists have every payment that changed`() throws {
        let sender = try MollieSender(settings: settings)
        let responder = try MollieResponder(settings: settings)
        var events = try ListedPages.events(120, sender, until: Self.now)
        // An old order that is refunded now, another one that was refunded then.
        let old = Self.since.microseconds - 40 * 86_400_000_000
        for (reference, time) in [("R-OLD", Self.now.microseconds), ("R-LONG-AGO", old)] {
            let transaction = SampleEvent.identifier(reference)
            for (number, type) in [EventType.paid, .refunded].enumerated() {
                var event = SampleEvent.sample(type, reference: reference, number: number + 1)
                event.transaction = transaction
                event.occurred = Timestamp(microseconds: number == 0 ? old : time)
                events.append(SentEvent(event, body: []))
            }
        }
        let listed = try ListedPages(
            lister, responder, events, since: Self.since, now: Self.now)
        let paid = listed.notifications.filter {
            if case .attempt = $0.effect { true } else { false }
        }
        let references = Set(paid.compactMap(\.reference))
        #expect(references == Set((1...120).map { "R-\($0)" } + ["R-OLD"]))
        #expect(listed.requests.allSatisfy { responder.serves($0) })
        // Five parts of the list of payments, one of refunds, one of chargebacks.
        #expect(listed.pages == 121 + 7)
    }
}
