import Bytes
import JSON
import Payments

/// Square's list of events: `POST /v2/events`, the last 28 days (documented), in an order that is
/// not documented. Events can be searched from when the merchant has switched that on
/// (`PUT /v2/events/enable`).
///
/// An entry is the event as its notification carries it, and is not signed.
struct SquareLister: EventLister {
    private let token: String
    private let provider: RecipeProvider
    /// The kinds to which a subscription subscribes.
    private let types: [String]
    /// The only merchant whose events count; nil for all of the application.
    private let merchant: String?

    static let path = "/v2/events"
    /// The most that Square returns.
    static let pageSize = 100
    /// The most that Square takes (published schema).
    private static let cursorBytesMax = 256
    let daysMax = 28
    let isNewestFirst = false

    /// - Throws: ``SettingsError`` as ``SquareInquirer`` does.
    init(_ recipe: Recipe, settings: EndpointSettings) throws(SettingsError) {
        token = try settings.headerText(Square.accessToken)
        provider = try RecipeProvider(recipe, settings: settings)
        types = recipe.events
        merchant =
            if case .text(let id)? = settings["merchantID"] { id } else { nil }
    }

    func next(
        _ listing: EventListing, now: Timestamp
    ) throws(InquiryError) -> EventListingStep {
        do throws(NoAnswer) {
            guard let exchange = listing.exchanges.last else {
                // A person may have written it.
                guard listing.cursor.map({ Self.isCursor($0) }) ?? true else {
                    throw .unreadable(.tls, "cursor_malformed", "the cursor is none of Square's")
                }
                return .ask(request(listing, now: now))
            }
            let answer = exchange.answer
            try answer.requireOK()
            let root = try JSONDocument.parse(answer: answer.body)
            let events = root["events"]
            guard events == nil || events?.kind == .array, root["errors"] == nil else {
                throw NoAnswer(.retry, .tls, "no_answer", "the answer is no list of Square's")
            }
            let next = try cursor(root["cursor"])
            guard next == nil || next != listing.cursor else {
                throw .unreadable(.tls, "cursor_repeated", "the next page is this one")
            }
            return .page(
                EventPage(
                    (events?.elements.map(\.self) ?? []).filter(isOurs).map { Array($0.rawBytes) },
                    next: next))
        } catch {
            return .none(InquiryFinding(error))
        }
    }

    func notifications(in entry: [UInt8]) -> [Notification] {
        [provider.notification(inListed: entry)]
    }

    /// An application's events are those of all its merchants.
    private func isOurs(_ event: JSONValue) -> Bool {
        guard let merchant else { return true }
        return event["merchant_id"]?.utf8?.elementsEqual(merchant.utf8) ?? false
    }

    private static func isCursor(_ text: String) -> Bool {
        (1...cursorBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    /// Nil on the last page, where it is empty or absent.
    private func cursor(_ value: JSONValue?) throws(NoAnswer) -> String? {
        guard let value, !value.isNull, value.string != "" else { return nil }
        guard let text = value.string, Self.isCursor(text) else {
            throw .unreadable(.tls, "cursor_missing", "the next page has no cursor to begin at")
        }
        return text
    }

    private func request(_ listing: EventListing, now: Timestamp) -> InquiryRequest {
        // An earlier time may be refused.
        let earliest = Timestamp(
            microseconds: now.microseconds - Int64(daysMax) * 86_400_000_000)
        let body = JSONWriter.object(reserving: 512) { json in
            json.member("limit", Self.pageSize)
            json.member("cursor", ifPresent: listing.cursor)
            json.object("query") { json in
                json.object("filter") { json in
                    json.array("event_types", types)
                    if let merchant { json.array("merchant_ids", [merchant]) }
                    json.object("created_at") { json in
                        json.member("start_at", max(listing.since, earliest).rfc3339)
                        json.member("end_at", listing.until.rfc3339)
                    }
                }
            }
        }
        return Square.request("POST", Self.path, token: token, body: body)
    }
}
