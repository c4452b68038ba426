import Payments

@testable import Providers

/// What a lister finds at a responder, from its first page to its last.
struct ListedPages {
    private(set) var notifications: [Notification] = []
    private(set) var pages = 0
    /// The requests of all pages.
    private(set) var requests: [InquiryRequest] = []

    struct NotListed: Error {
        let step: EventListingStep
    }

    /// - Throws: ``NotListed`` for a page that cannot be read.
    init(
        _ lister: any EventLister, _ responder: any Responder, _ events: [SentEvent],
        since: Timestamp = Timestamp(microseconds: 0), now: Timestamp
    ) throws {
        let moment = ResponderMoment(now: now)
        let lives = Dictionary(grouping: events.map(\.event), by: \.reference)
        var (cursor, token) = (nil as String?, nil as InquiryToken?)
        repeat {
            var listing = EventListing(since: since, until: now, cursor: cursor, token: token)
            var step = try lister.next(listing, now: now)
            while case .ask(let request) = step {
                let answer =
                    responder.list(request, at: moment) { events }
                    ?? responder.answer(request, at: moment) { _, id in
                        lives.first { life in
                            life.value.contains { $0.transaction == id || $0.actionID == id }
                        }.map { SampleLife(reference: $0.key, events: $0.value) }
                    }
                requests.append(request)
                listing.append(InquiryExchange(request, answer))
                step = try lister.next(listing, now: now)
            }
            guard case .page(let page) = step else { throw NotListed(step: step) }
            notifications += page.entries.flatMap { lister.notifications(in: $0) }
            (cursor, token) = (page.next, page.token)
            pages += 1
        } while cursor != nil
    }

    /// Events about one payment each, seven in a second, and what is sent of them.
    static func events(
        _ count: Int, _ sender: any Sender, until last: Timestamp
    ) throws -> [SentEvent] {
        try (1...count).map { number in
            var event = SampleEvent.sample(.paid, reference: "R-\(number)", number: number)
            let seconds = last.microseconds / 1_000_000 - Int64(number / 7)
            event.occurred = Timestamp(microseconds: seconds * 1_000_000)
            return SentEvent(event, body: try sender.sign(event, path: "/").body)
        }
    }
}
