import Providers

/// An event of an endpoint's schedule for the operator's log: one for each change, not one for each
/// question.
package enum InquiryNotice: Sendable, Equatable {
    case breakerOpened(reason: String)
    case breakerClosed
    /// The provider's answer says nothing about the order: the first of several in a row.
    case refused(InquiryVerdict, reason: String, reference: String, detail: String)
    /// An answer contained facts that no notification had reported.
    case found(reference: String, records: Int, conflicts: Int)
    case unreadable(String)
    case readable
    case turnTaken
    case turnLost

    /// Whether it needs attention.
    package var isWarning: Bool {
        switch self {
        case .breakerOpened, .refused, .unreadable, .turnLost: true
        case .found(_, _, let conflicts): conflicts > 0
        case .breakerClosed, .readable, .turnTaken: false
        }
    }

    package var sentence: String {
        switch self {
        case .breakerOpened(let reason):
            "every question fails (\(reason)): paused, and asked again from time to time"
        case .breakerClosed: "the provider answers again"
        case .refused(let verdict, let reason, let reference, let detail):
            "\(verdict.rawValue) (\(reason)) for order \(reference): \(detail)"
        case .found(let reference, let records, let conflicts):
            "order \(reference): \(records) new"
                + (conflicts > 0 ? ", \(conflicts) in conflict" : "")
        case .unreadable(let reason): "cannot find the orders that are due: \(reason)"
        case .readable: "finds the orders that are due again"
        case .turnTaken: "this instance asks"
        case .turnLost:
            "this instance asks no longer: its lease expired or another instance took it"
        }
    }
}

/// The status of an endpoint's schedule.
package struct InquiryStatus: Sendable, Equatable {
    package var endpoint: String
    /// Whether this instance asks; otherwise the plan's figures are 0.
    package var isServed: Bool
    /// Number of orders that are due and wait, and of questions in flight.
    package var waiting = 0
    package var inFlight = 0
    /// Seconds since the oldest of them became due.
    package var oldestSeconds = 0.0
    package var isBreakerOpen = false
    /// Number of orders whose schedule ended without a final status.
    package var ended = 0
    /// Why the due orders cannot be found; nil when they can.
    package var trouble: String?
}
