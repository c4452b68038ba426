import Payments
import Providers
import Store

/// The result of one inquiry, with all its questions.
package struct InquiryReport: Sendable, Equatable {
    package var verdict: InquiryVerdict
    package var trust: InquiryTrust
    /// The verdict's reason in snake_case; `answered` if there is nothing to explain.
    package var reason: String
    /// The reason in words.
    package var detail: String
    /// Number of facts in the answers.
    package var facts = 0
    /// Sequences of the new records.
    package var recorded: [UInt64] = []
    /// Number of new records that contradict earlier ones.
    package var conflicts = 0
    /// The pause that the provider asks for, within the endpoint's bound; nil if it asks for none.
    package var retryAfterSeconds: Double?

    init(_ verdict: InquiryVerdict, _ trust: InquiryTrust, _ reason: String, _ detail: String) {
        self.verdict = verdict
        self.trust = trust
        self.reason = reason
        self.detail = detail
    }

    init(_ finding: InquiryFinding) {
        self.init(finding.verdict, finding.trust, finding.reason, finding.detail)
    }

    /// Combines two questions' reports: one answer makes the whole inquiry answered.
    mutating func add(_ other: InquiryReport) {
        if verdict != .answered {
            verdict = other.verdict
            trust = other.trust
            reason = other.reason
            detail = other.detail
        }
        facts += other.facts
        recorded += other.recorded
        conflicts += other.conflicts
        if let other = other.retryAfterSeconds {
            retryAfterSeconds = max(retryAfterSeconds ?? 0, other)
        }
    }
}

/// Why the provider was not asked, or its answer was not kept.
package enum InquiryRefusal: Error, Sendable, Equatable {
    /// The endpoint has no `inquiry`.
    case notConfigured
    /// The provider has no list of events.
    case notListed
    /// The order was asked about within its pause, or the endpoint's limit is used up.
    case tooSoon(seconds: Double)
    /// The order cannot be read.
    case unreadable(ReadFailure)
    /// The answer could not be made durable.
    case notStored(StoreRefusal)
}

/// Counters of an endpoint's inquiries since the start.
package struct InquiryCounters: Sendable, Equatable {
    package var verdicts: [InquiryVerdict: Int] = [:]
    /// Inquiries that failed because an answer could not be stored or an order could not be read.
    package var notStored = 0
    /// Records from answers: facts that no notification had reported.
    package var recorded = 0

    mutating func count(_ report: InquiryReport) {
        verdicts[report.verdict, default: 0] += 1
        recorded += report.recorded.count
    }
}
