import Payments
import Providers
import Store

/// What one inquiry came to, all in all.
package struct InquiryReport: Sendable, Equatable {
    package var verdict: InquiryVerdict
    package var trust: InquiryTrust
    /// In snake_case: why; `answered` where there is nothing to explain.
    package var reason: String
    /// For people.
    package var detail: String
    /// How many facts the answers held.
    package var facts = 0
    /// The records that are new.
    package var recorded: [UInt64] = []
    /// Of those, the ones that contradict what was known.
    package var conflicts = 0
    /// How long the provider wants to be left alone, within the endpoint's bound; nil where it does
    /// not say.
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

    /// Both: an answer to one question is an answer, whatever another one came to.
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

/// Why nobody was asked, or an answer was not kept.
package enum InquiryRefusal: Error, Sendable, Equatable {
    /// The endpoint has no `inquiry`.
    case notConfigured
    /// This order was asked about a moment ago, or is being asked about; or the endpoint's limit is
    /// used up.
    case tooSoon(seconds: Double)
    /// What the order is cannot be read.
    case unreadable(ReadFailure)
    /// The answer could not be made durable.
    case notStored(StoreRefusal)
}

/// What the inquiries of an endpoint came to since the start.
package struct InquiryCounters: Sendable, Equatable {
    package var verdicts: [InquiryVerdict: Int] = [:]
    /// Answers that could not be made durable, or orders that could not be read.
    package var notStored = 0
    /// The records that answers brought: what no notification had told.
    package var recorded = 0

    mutating func count(_ report: InquiryReport) {
        verdicts[report.verdict, default: 0] += 1
        recorded += report.recorded.count
    }
}
