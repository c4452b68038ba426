import Bytes
import JSON
import Payments

/// Finds the payments to which something happened. Mollie has no list of events, but lists of
/// payments, refunds and chargebacks, newest first (documented); a payment of which one of them
/// shows that it may have changed is fetched, and its answer is what is recorded.
///
/// - **`GET /v2/payments`**, from 102 days before the first wanted one, because a bank transfer
///   expires after 101 at the latest (documented): those that were created, authorised, paid,
///   cancelled, or that failed or expired since; and those authorised in the 30 days before, of
///   which another part may have been captured.
/// - **`GET /v2/refunds`**, from 30 days before: all, because a refund does not show when its
///   status changed.
/// - **`GET /v2/chargebacks`**, from 102 days before: those received or reversed since.
///
/// A page is one request: for part of a list, or for one payment.
struct MollieLister: EventLister {
    private let inquirer: MollieInquirer

    /// More, up to 250, may be larger than an answer that is read (1 MiB).
    static let pageSize = 100
    /// Most payments of a cursor, which is a parameter of a request of at most 2048 bytes.
    static let paymentsMax = 25
    /// By choice: Mollie publishes no limit.
    let daysMax = 365
    let isNewestFirst = false

    /// - Throws: ``SettingsError`` as ``MollieInquirer`` does.
    init(settings: EndpointSettings) throws(SettingsError) {
        inquirer = try MollieInquirer(settings: settings)
    }

    func next(
        _ listing: EventListing, now: Timestamp
    ) throws(InquiryError) -> EventListingStep {
        do throws(NoAnswer) {
            // A person may have written it.
            guard let place = listing.cursor.map(MollieCursor.init(_:)) ?? MollieCursor() else {
                throw .unreadable(.tls, "cursor_malformed", "the cursor is none of ipnd's")
            }
            let answer = listing.exchanges.last?.answer
            if let id = place.payments.first {
                guard let answer else { return .ask(inquirer.request(about: id)) }
                return .page(EventPage(try payment(id, answer), next: place.afterPayment?.text))
            }
            guard let list = place.list else { return .page(EventPage([], next: nil)) }
            guard let answer else {
                let from = place.from.map { "from=\($0)&" } ?? ""
                return .ask(
                    inquirer.request("/v2/\(list.rawValue)?\(from)limit=\(Self.pageSize)"))
            }
            let next = try self.place(after: place, in: list, answer, since: listing.since)
            return .page(EventPage([], next: next?.text))
        } catch {
            return .none(InquiryFinding(error))
        }
    }

    func notifications(in entry: [UInt8]) -> [Notification] {
        do throws(NoAnswer) {
            return try inquirer.reading.facts(JSONDocument.parse(answer: entry), entry).map {
                var fact = $0
                fact.kind = Notification.inquiryKind
                return fact
            }
        } catch {
            let id = (try? JSONDocument(parsing: entry).root)?["id"]?.word
            return [
                .notUnderstood(kind: "payment", transaction: id, effect: .doubt, signed: entry)
            ]
        }
    }

    /// The payment; nothing where there is none any more.
    private func payment(
        _ id: String, _ answer: InquiryAnswer
    ) throws(NoAnswer) -> [[UInt8]] {
        do throws(NoAnswer) {
            _ = try MollieInquirer.payment(id, in: answer)
            return [answer.body]
        } catch {
            guard error.verdict == .absent else { throw error }
            return []
        }
    }

    // MARK: Lists

    /// Where to go on after a part of a list: to the payments in it, and then further down; nil
    /// at the end.
    private func place(
        after place: MollieCursor, in list: MollieCursor.List, _ answer: InquiryAnswer,
        since: Timestamp
    ) throws(NoAnswer) -> MollieCursor? {
        try answer.requireOK()
        let root = try JSONDocument.parse(answer: answer.body)
        guard let entries = root["_embedded"]?[list.rawValue], entries.kind == .array,
            let link = root["_links"]
        else { throw NoAnswer(.retry, .tls, "no_answer", "the answer is no list of Mollie's") }
        var payments: [String] = []
        var isOver = false
        var rest: String?
        for entry in entries.elements {
            guard let id = entry[list == .payments ? "id" : "paymentId"]?.word,
                Mollie.isPaymentID(id)
            else { throw .unreadable(.tls, "not_understood", "an entry names no payment") }
            let created = Self.time(entry["createdAt"])
            isOver = created.map { $0 < Self.day(since, -list.daysBefore) } ?? false
            guard !isOver else { break }
            guard Self.mayHaveChanged(entry, in: list, since: since), !payments.contains(id)
            else { continue }
            guard payments.count < Self.paymentsMax else {
                rest = try Self.place(entry["id"]?.word)
                break
            }
            payments.append(id)
        }
        if rest == nil { rest = try Self.next(link) }
        var next = MollieCursor(list: list, from: rest)
        // Without an id to go on from, the rest would be left out in silence.
        guard next.from == nil || next.from != place.from else {
            throw .unreadable(.tls, "cursor_repeated", "the next page is this one")
        }
        if isOver || next.from == nil {
            guard let other = list.next else {
                return payments.isEmpty ? nil : MollieCursor(list: nil, payments: payments)
            }
            next = MollieCursor(list: other)
        }
        next.payments = payments
        return next
    }

    private static func mayHaveChanged(
        _ entry: JSONValue, in list: MollieCursor.List, since: Timestamp
    ) -> Bool {
        func isSince(_ name: StaticString, _ first: Timestamp) -> Bool {
            time(entry[name]).map { $0 >= first } ?? false
        }
        switch list {
        case .payments:
            let names: [StaticString] = [
                "createdAt", "authorizedAt", "paidAt", "failedAt", "canceledAt", "expiredAt",
            ]
            return names.contains { isSince($0, since) }
                || isSince("authorizedAt", day(since, -30)) || time(entry["createdAt"]) == nil
        case .refunds: return true
        case .chargebacks:
            return isSince("createdAt", since) || isSince("reversedAt", since)
                || time(entry["createdAt"]) == nil
        }
    }

    /// The id at which the next page begins, from its link; nil on the last page.
    private static func next(_ links: JSONValue) throws(NoAnswer) -> String? {
        guard let link = links["next"], !link.isNull else { return nil }
        let query = link["href"]?.string?.split(separator: "?").last ?? ""
        let id = query.split(separator: "&").first { $0.hasPrefix("from=") }?.dropFirst(5)
        return try place(id.map { String($0) })
    }

    private static func place(_ id: String?) throws(NoAnswer) -> String {
        guard let id, MollieCursor.isID(id) else {
            throw .unreadable(.tls, "cursor_missing", "the next page has no id to begin at")
        }
        return id
    }

    private static func time(_ value: JSONValue?) -> Timestamp? {
        value?.utf8.flatMap { Timestamp(iso8601: $0.span) }
    }

    private static func day(_ time: Timestamp, _ days: Int) -> Timestamp {
        Timestamp(microseconds: time.microseconds + Int64(days) * 86_400_000_000)
    }
}
