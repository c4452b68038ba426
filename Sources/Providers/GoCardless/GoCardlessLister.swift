import Bytes
import JSON
import Payments

/// GoCardless' list of events: `GET /events`, 18 months (documented), in an order that is not
/// documented.
///
/// An entry is an element of a webhook's `events`, and is not signed.
struct GoCardlessLister: EventLister {
    private let token: String
    private let provider: RecipeProvider

    static let path = "/events"
    /// As many as one webhook has at most.
    static let pageSize = 250
    let daysMax = 540
    let isNewestFirst = false

    /// - Throws: ``SettingsError`` as ``GoCardlessInquirer`` does.
    init(_ recipe: Recipe, settings: EndpointSettings) throws(SettingsError) {
        token = try settings.headerText(GoCardless.accessToken)
        provider = try RecipeProvider(recipe, settings: settings)
    }

    func next(
        _ listing: EventListing, now: Timestamp
    ) throws(InquiryError) -> EventListingStep {
        do throws(NoAnswer) {
            guard let exchange = listing.exchanges.last else {
                // A person may have written it.
                guard listing.cursor.map(GoCardless.isID) ?? true else {
                    throw .unreadable(.tls, "cursor_malformed", "the cursor is no id of an event")
                }
                return .ask(request(listing))
            }
            let (events, root) = try exchange.answer.member("events", of: "GoCardless")
            guard events.kind == .array, let after = root["meta"]?["cursors"]?["after"] else {
                throw NoAnswer(.retry, .tls, "no_answer", "the answer is no list of GoCardless'")
            }
            let next = after.isNull ? nil : after.word
            // Without an id to go on from, the rest would be left out in silence.
            guard after.isNull || next.map(GoCardless.isID) == true,
                next != listing.cursor
                    || next == nil
            else {
                throw .unreadable(.tls, "cursor_missing", "the next page has no id to begin at")
            }
            return .page(EventPage(events.elements.map { Array($0.rawBytes) }, next: next))
        } catch {
            return .none(InquiryFinding(error))
        }
    }

    func notifications(in entry: [UInt8]) -> [Notification] {
        [provider.notification(inListed: GoCardless.body(of: entry[...]))]
    }

    private func request(_ listing: EventListing) -> InquiryRequest {
        var fields = [
            ("created_at[gte]", listing.since.rfc3339), ("created_at[lte]", listing.until.rfc3339),
            ("limit", "\(Self.pageSize)"),
        ]
        if let cursor = listing.cursor { fields.append(("after", cursor)) }
        let query = fields.map {
            "\(PercentEncoding.encode(Array($0.utf8)))=\(PercentEncoding.encode(Array($1.utf8)))"
        }
        return InquiryRequest(
            method: "GET", target: "\(Self.path)?\(query.joined(separator: "&"))",
            headers: GoCardless.headers(token))
    }
}
