import Bytes
import Inquiry
import Payments
import Platform
import Providers
import Synchronization
import TestSupport

/// A provider in process with a list of events, newest first, in pages of two.
final class ListedProvider: InquiryTransport {
    struct Request: Sendable {
        let time: MonotonicTime
        let since: Int64
        let until: Int64
    }

    private struct State {
        var events: [Int64: String] = [:]
        var requests: [Request] = []
        var isAway = false
        /// Number of further pages before it is away.
        var pagesLeft = Int.max
    }

    private let clock: ManualClock
    private let state = Mutex(State())

    init(_ clock: ManualClock) { self.clock = clock }

    /// Adds an event of an order that happens now.
    func happens(_ reference: String) {
        state.withLock { $0.events[clock.wallMicroseconds] = reference }
    }

    func goAway(afterPages pages: Int = 0) { state.withLock { $0.pagesLeft = pages } }

    func comeBack() { state.withLock { $0.pagesLeft = .max } }

    var requests: [Request] { state.withLock { $0.requests } }

    func send(
        _ request: InquiryRequest, to target: InquiryTarget
    ) async throws(InquiryFailure) -> InquiryAnswer {
        let numbers = request.target.split(separator: "/").compactMap { Int64($0) }
        let body = state.withLock { state -> String? in
            state.requests.append(
                Request(time: clock.now, since: numbers[0], until: numbers[1]))
            guard state.pagesLeft > 0 else { return nil }
            state.pagesLeft -= 1
            let all = state.events.filter {
                (numbers[0]...min(numbers[1], numbers[2] - 1)).contains($0.key)
            }.sorted { $0.key > $1.key }
            let lines = all.prefix(2).map { "\($0.key) \($0.value)\n" }.joined()
            return lines + (all.count > 2 ? "more \(all[1].key)\n" : "")
        }
        guard let body else { throw InquiryFailure(reason: "connect_refused", detail: "away") }
        return InquiryAnswer(
            status: 200, headers: [], body: Array(body.utf8),
            received: Timestamp(microseconds: clock.wallMicroseconds))
    }
}

/// Reads the list of a ``ListedProvider``.
struct SimpleLister: EventLister {
    let daysMax = 30
    let isNewestFirst = true

    func next(
        _ listing: EventListing, now: Timestamp
    ) throws(InquiryError) -> EventListingStep {
        guard let answer = listing.exchanges.last?.answer else {
            let cursor = listing.cursor ?? "\(Int64.max)"
            return .ask(
                InquiryRequest(
                    method: "GET",
                    target: "/\(listing.since.microseconds)/\(listing.until.microseconds)/"
                        + cursor, headers: []))
        }
        var lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        var next: String?
        if let last = lines.last, last.hasPrefix("more ") {
            next = String(last.dropFirst(5))
            lines.removeLast()
        }
        return .page(EventPage(lines.map { Array($0.utf8) }, next: next))
    }

    func notifications(in entry: [UInt8]) -> [Notification] {
        let words = String(decoding: entry, as: UTF8.self).split(separator: " ")
        let reference = String(words[1])
        var notification = Notification(id: "id:\(reference)", kind: "payment", status: "paid")
        notification.occurred = Timestamp(microseconds: Int64(words[0]) ?? 0)
        notification.reference = reference
        notification.transaction = "T-\(reference)"
        notification.effect = .attempt(.paid, Money.eur(4200))
        return [notification]
    }
}

/// Marks that outlive the instances of a test.
final class KeptMarks: BackfillMarks {
    private let kept = Mutex<[String: String]>([:])
    private let failure = Mutex<String?>(nil)

    func fail(_ detail: String?) { failure.withLock { $0 = detail } }

    var mark: String? { kept.withLock { $0["e"] } }

    func read(_ endpoint: String) async throws(BackfillFailure) -> String? {
        if let detail = failure.withLock(\.self) { throw BackfillFailure(detail) }
        return kept.withLock { $0[endpoint] }
    }

    func write(
        _ mark: String, of endpoint: String, after former: String?
    ) async throws(BackfillFailure) -> Bool {
        if let detail = failure.withLock(\.self) { throw BackfillFailure(detail) }
        return kept.withLock { kept in
            guard kept[endpoint] == former else { return false }
            kept[endpoint] = mark
            return true
        }
    }
}
