import Bytes
import JSON
import Payments

/// PayPal's list of event notifications: `GET /v1/notifications/webhooks-events`, the last 30 days
/// (documented for its page in the dashboard), in an order that is not documented.
///
/// An entry is the event as its notification carries it, and is not signed. It is read as a
/// notification would be: a success is `unconfirmed` until it is asked about, or it would
/// contradict the notification that arrived.
struct PayPalLister: EventLister {
    private let access: PayPalAccess
    private let reference: [PayPalReference]
    private let mode: EndpointSettings.Mode

    static let path = "/v1/notifications/webhooks-events"
    /// More may be larger than an answer that is read (1 MiB).
    static let pageSize = 50
    /// More than any link to a next page has.
    private static let cursorBytesMax = 2048

    let daysMax = 30
    let isNewestFirst = false

    /// - Throws: ``SettingsError`` as ``PayPalInquirer`` does.
    init(settings: EndpointSettings) throws(SettingsError) {
        access = try PayPalAccess(settings: settings)
        reference = try PayPalReference.list(settings)
        mode = settings[PayPal.mode] ?? .live
    }

    func next(
        _ listing: EventListing, now: Timestamp
    ) throws(InquiryError) -> EventListingStep {
        do throws(NoAnswer) {
            // A person may have written it.
            guard listing.cursor.map({ Self.isQuery($0.utf8) }) ?? true else {
                throw .unreadable(.tls, "cursor_malformed", "the cursor is no query of PayPal's")
            }
            let exchanges = listing.exchanges
            guard let known = try access.token(listing.token, exchanges, now: now) else {
                return .ask(access.request)
            }
            guard let last = exchanges.indices.last, last != known.fetched else {
                return .ask(request(listing, known.token, now: now))
            }
            return .page(try page(exchanges[last].answer, of: listing, known.token))
        } catch {
            return .none(InquiryFinding(error))
        }
    }

    func notifications(in entry: [UInt8]) -> [Notification] {
        [
            PayPalInterpretation.notification(
                PayPalEvidence(body: entry), reference: reference, mode: mode, isAsked: true)
        ]
    }

    private func request(
        _ listing: EventListing, _ token: InquiryToken, now: Timestamp
    ) -> InquiryRequest {
        // An earlier time may be refused.
        let earliest = Timestamp(
            microseconds: now.microseconds - Int64(daysMax) * 86_400_000_000)
        let query =
            listing.cursor
            ?? "start_time=\(Self.text(max(listing.since, earliest)))"
            + "&end_time=\(Self.text(listing.until))&page_size=\(Self.pageSize)"
        return InquiryRequest(
            method: "GET", target: "\(Self.path)?\(query)", headers: [token.bearer])
    }

    private static func text(_ time: Timestamp) -> String {
        PercentEncoding.encode(Array(time.rfc3339.utf8))
    }

    private func page(
        _ answer: InquiryAnswer, of listing: EventListing, _ token: InquiryToken
    ) throws(NoAnswer) -> EventPage {
        switch answer.status {
        case 200: break
        case 401, 403:
            throw NoAnswer(.denied, .tls, "token_refused", "PayPal answered \(answer.status)")
        default: throw .status(.retry, .tls, answer.status)
        }
        let root = try JSONDocument.parse(answer: answer.body)
        guard let events = root["events"], events.kind == .array else {
            throw NoAnswer(.retry, .tls, "no_answer", "the answer is no list of PayPal's")
        }
        let entries = events.elements.map { Array($0.rawBytes) }
        let next = entries.isEmpty ? nil : try cursor(root["links"])
        guard next == nil || next != listing.cursor else {
            throw .unreadable(.tls, "cursor_repeated", "the next page is this one")
        }
        return EventPage(entries, next: next, token: token)
    }

    /// The query of the link to the next page; nil if there is none. Its host is not used.
    private func cursor(_ links: JSONValue?) throws(NoAnswer) -> String? {
        guard let link = links?.elements.first(where: { $0["rel"]?.word == "next" }) else {
            return nil
        }
        let href = link["href"]?.string ?? ""
        let parts = href.split(separator: "?", maxSplits: 1)
        guard parts.count == 2, parts[0].hasSuffix(Self.path),
            Self.isQuery(parts[1].utf8)
        else {
            throw .unreadable(.tls, "cursor_missing", "the link to the next page leads elsewhere")
        }
        return String(parts[1])
    }

    private static func isQuery(_ text: some Collection<UInt8>) -> Bool {
        text.count <= cursorBytesMax
            && text.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }
    }
}
