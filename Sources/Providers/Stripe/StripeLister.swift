import Bytes
import JSON
import Payments

/// Stripe's list of events: `GET /v1/events`, 30 days, newest first (documented).
///
/// An entry is the event as its notification carries it, in the account's own version of the
/// interface, and is not signed.
struct StripeLister: EventLister {
    private let apiKey: String
    private let provider: RecipeProvider
    /// The kinds to which an endpoint subscribes; Stripe takes 20 at most.
    private let types: [String]

    static let path = "/v1/events"
    /// More, up to 100, may be larger than an answer that is read (1 MiB).
    static let pageSize = 50
    let daysMax = 30
    let isNewestFirst = true

    /// - Throws: ``SettingsError`` as ``StripeInquirer`` does.
    init(_ recipe: Recipe, settings: EndpointSettings) throws(SettingsError) {
        apiKey = try settings.headerText(Stripe.apiKey)
        provider = try RecipeProvider(recipe, settings: settings)
        types = recipe.events
    }

    func next(
        _ listing: EventListing, now: Timestamp
    ) throws(InquiryError) -> EventListingStep {
        guard let exchange = listing.exchanges.last else { return .ask(request(listing)) }
        do throws(NoAnswer) {
            let root = try StripeInquirer.root(exchange.answer)
            guard root["object"]?.word == "list", let data = root["data"], data.kind == .array,
                let hasMore = root["has_more"]?.bool
            else { throw NoAnswer(.retry, .tls, "no_answer", "the answer is no list of Stripe's") }
            let events = Array(data.elements)
            let last = events.last?["id"]?.word
            // Without an id to go on from, the rest would be left out in silence.
            guard !hasMore || last != nil else {
                throw .unreadable(.tls, "cursor_missing", "the last event of the page has no id")
            }
            return .page(
                EventPage(events.map { Array($0.rawBytes) }, next: hasMore ? last : nil))
        } catch {
            return .none(InquiryFinding(error))
        }
    }

    func notifications(in entry: [UInt8]) -> [Notification] {
        [provider.notification(inListed: entry)]
    }

    private func request(_ listing: EventListing) -> InquiryRequest {
        var fields = [
            ("created[gte]", "\(listing.since.microseconds / 1_000_000)"),
            ("created[lte]", "\(listing.until.microseconds / 1_000_000)"),
            ("limit", "\(Self.pageSize)"),
        ]
        fields += types.map { ("types[]", $0) }
        if let cursor = listing.cursor { fields.append(("starting_after", cursor)) }
        let query = fields.map {
            "\(PercentEncoding.encode(Array($0.utf8)))=\(PercentEncoding.encode(Array($1.utf8)))"
        }
        return InquiryRequest(
            method: "GET", target: "\(Self.path)?\(query.joined(separator: "&"))",
            headers: [
                Header("authorization", "Bearer \(apiKey)"), Header("accept", "application/json"),
            ])
    }
}
