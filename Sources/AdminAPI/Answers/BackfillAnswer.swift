import Inquiry
import Payments

/// The result of reading one page of a provider's events, as `POST …/backfill` answers.
package struct BackfillAnswer: APIObject {
    /// Number of new events of one kind.
    package struct Count: APIObject {
        package var kind = ""
        package var events = 0

        package init() {}

        package mutating func members(_ form: inout some APIForm) {
            form.required("kind", &kind)
            form.required("events", &events)
        }
    }

    package var verdict = ""
    package var reason = ""
    package var detail = ""
    /// Number of events on the page.
    package var read = 0
    /// Those that were not known, by their kind.
    package var recorded: [Count] = []
    /// Number of new records that contradict earlier ones.
    package var conflicts = 0
    /// Days for which the provider lists its events; 0 if it did not answer.
    package var daysMax = 0
    /// The time of the page's earliest event.
    package var earliest: String?
    /// Where the next page begins; nil after the last one.
    package var next: String?
    package var retryAfterSeconds: Int?

    package init() {}

    init(_ report: BackfillReport) {
        (verdict, reason, detail) = (report.verdict.rawValue, report.reason, report.detail)
        (read, conflicts, next) = (report.read, report.conflicts, report.next)
        recorded = report.recorded.sorted { $0.key < $1.key }.map { kind, events in
            var count = Count()
            (count.kind, count.events) = (kind, events)
            return count
        }
        daysMax = report.daysMax
        earliest = report.earliest?.rfc3339
        retryAfterSeconds = report.retryAfterSeconds.map { Int($0.rounded(.up)) }
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("verdict", &verdict)
        form.required("reason", &reason)
        form.required("detail", &detail)
        form.required("read", &read)
        form.required("recorded", &recorded)
        form.required("conflicts", &conflicts)
        form.required("daysMax", &daysMax)
        form.optional("earliest", &earliest)
        form.optional("next", &next)
        form.optional("retryAfterSeconds", &retryAfterSeconds)
    }
}
