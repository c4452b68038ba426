import Payments

/// Reads the provider's own list of events, for those that were lost while no server took
/// notifications.
///
/// Pure, as an ``Inquirer`` is. An event of the list has the identity of its notification: one that
/// arrived before, or arrives later, is a duplicate of it.
package protocol EventLister: Sendable {
    /// Days for which the provider lists its events.
    var daysMax: Int { get }

    /// Whether the earliest event of a page shows how far the list is read.
    var isNewestFirst: Bool { get }

    /// Returns the next request, or the page from the answers so far.
    ///
    /// - Parameter now: The date of the request.
    /// - Throws: ``InquiryError``.
    func next(_ listing: EventListing, now: Timestamp) throws(InquiryError) -> EventListingStep

    /// Returns the events that an entry of the list reports, as a notification of it would; never
    /// empty.
    func notifications(in entry: [UInt8]) -> [Notification]
}

/// The next step of reading one page.
package enum EventListingStep: Sendable, Equatable {
    case ask(InquiryRequest)
    case page(EventPage)
    /// The answer is no page; the finding has no facts.
    case none(InquiryFinding)
}

/// A page of a provider's events that is being read, and the exchanges about it so far.
package struct EventListing: Sendable, Equatable {
    /// The time of the first events that are wanted.
    package let since: Timestamp
    /// The time of the last ones.
    package let until: Timestamp
    /// The ``EventPage/next`` of the page before; nil for the first page.
    package let cursor: String?
    /// The access token of an earlier conversation, while it is valid.
    package let token: InquiryToken?
    package private(set) var exchanges: [InquiryExchange] = []

    package init(
        since: Timestamp, until: Timestamp, cursor: String? = nil, token: InquiryToken? = nil
    ) {
        self.since = since
        self.until = until
        self.cursor = cursor
        self.token = token
    }

    package mutating func append(_ exchange: InquiryExchange) { exchanges.append(exchange) }
}

/// One page of a provider's events.
package struct EventPage: Sendable, Equatable {
    /// The entries, each as the body that is recorded with its events.
    package let entries: [[UInt8]]
    /// Where the next page begins, in the provider's words; nil after the last one.
    package let next: String?
    /// The access token that was fetched, for the next page.
    package var token: InquiryToken?

    package init(_ entries: [[UInt8]], next: String?, token: InquiryToken? = nil) {
        self.entries = entries
        self.next = next
        self.token = token
    }
}
