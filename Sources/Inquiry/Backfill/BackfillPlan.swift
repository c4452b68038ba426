import Bytes
import JSON
import Payments

/// Until when the record of an endpoint is complete, and what is still to be read from the
/// provider's list. It outlives the process, or a gap would be forgotten with it.
struct BackfillMark: Sendable, Equatable {
    /// A time in which notifications may have been lost.
    struct Span: Sendable, Equatable {
        var since: Timestamp
        /// It becomes earlier with each page of a list that is read from its newest event back.
        var until: Timestamp
    }

    /// The store's identity. The mark of another store says nothing about this one.
    var store: String
    /// Every event until then was notified while it could be taken, or is in a span.
    var covered: Timestamp
    /// The oldest first; it is the one that is being read.
    var spans: [Span] = []
}

extension BackfillMark {
    /// `{"store":"…","covered":"…","spans":[{"since":"…","until":"…"}]}`
    var text: String {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("store", store)
            json.member("covered", covered.rfc3339)
            json.key("spans")
            json.beginArray()
            for span in spans {
                json.object { json in
                    json.member("since", span.since.rfc3339)
                    json.member("until", span.until.rfc3339)
                }
            }
            json.endArray()
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Returns nil for a text of another form.
    init?(_ text: String) {
        guard let root = try? JSONDocument(parsing: Array(text.utf8)).root,
            let store = root["store"]?.string,
            let covered = root["covered"]?.string.flatMap({ Timestamp(iso8601: $0) }),
            let spans = root["spans"], spans.kind == .array
        else { return nil }
        self.init(store: store, covered: covered)
        for span in spans.elements {
            guard let since = span["since"]?.string.flatMap({ Timestamp(iso8601: $0) }),
                let until = span["until"]?.string.flatMap({ Timestamp(iso8601: $0) })
            else { return nil }
            self.spans.append(Span(since: since, until: until))
        }
    }
}

/// Finds the gaps of an endpoint. No clock, no I/O.
struct BackfillPlan: Sendable, Equatable {
    private(set) var mark: BackfillMark
    /// A shorter pause is bridged by the provider's own retries.
    var gapMicroseconds: Int64
    var daysMax: Int

    /// The provider may have sent what happened shortly before a gap into it.
    static let marginMicroseconds: Int64 = 3_600_000_000
    /// Larger than any real number of gaps that wait; then the last one is made longer.
    static let spansMax = 100
    private static let dayMicroseconds: Int64 = 86_400_000_000

    /// Begins where nothing is known of the time before, or goes on from a mark.
    ///
    /// A mark of another store means that this one was lost and replaced: all that the provider
    /// lists may be missing.
    init(
        _ mark: BackfillMark?, store: String, gapMicroseconds: Int64, daysMax: Int, now: Timestamp
    ) {
        self.gapMicroseconds = gapMicroseconds
        self.daysMax = daysMax
        self.mark = mark ?? BackfillMark(store: store, covered: now)
        guard let mark, mark.store != store else { return }
        self.mark = BackfillMark(
            store: store, covered: now,
            spans: [.init(since: Self.earliest(daysMax, now), until: now)])
    }

    private static func earliest(_ days: Int, _ now: Timestamp) -> Timestamp {
        Timestamp(microseconds: now.microseconds - Int64(days) * dayMicroseconds)
    }

    /// Notes that notifications can be taken now. Returns the gap that ends with it.
    mutating func tick(_ now: Timestamp) -> BackfillMark.Span? {
        let covered = mark.covered
        mark.covered = max(covered, now)
        guard now.microseconds - covered.microseconds > gapMicroseconds else { return nil }
        let since = Timestamp(microseconds: covered.microseconds - Self.marginMicroseconds)
        let span = BackfillMark.Span(
            since: max(since, Self.earliest(daysMax, now)), until: now)
        if mark.spans.count < Self.spansMax {
            mark.spans.append(span)
        } else {
            mark.spans[Self.spansMax - 1].until = now
        }
        return span
    }

    /// Notes that the events of the first span are recorded back to `earliest`.
    mutating func advance(to earliest: Timestamp) {
        guard !mark.spans.isEmpty else { return }
        mark.spans[0].until = max(mark.spans[0].since, min(mark.spans[0].until, earliest))
    }

    /// Notes that the whole first span is recorded.
    mutating func finish() {
        if !mark.spans.isEmpty { mark.spans.removeFirst() }
    }
}
