import Providers

/// What a person should hear of asking an endpoint's provider, as a line of the log: one for each
/// change, not one for each question.
package enum InquiryNotice: Sendable, Equatable {
    case breakerOpened(reason: String)
    case breakerClosed
    /// The provider answers, and not what helps: the first of several in a row.
    case refused(InquiryVerdict, reason: String, reference: String, detail: String)
    /// An answer brought what no notification had told.
    case found(reference: String, records: Int, conflicts: Int)
    case unreadable(String)
    case readable
    case turnTaken
    case turnLost

    /// Whether somebody has to look.
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
        case .unreadable(let reason): "cannot find out what to ask: \(reason)"
        case .readable: "can find out again what to ask"
        case .turnTaken: "this instance asks"
        case .turnLost:
            "this instance asks no longer: its lease could not be renewed, or another one has it"
        }
    }
}

/// How asking an endpoint's provider stands.
package struct InquiryStatus: Sendable, Equatable {
    package var endpoint: String
    /// Whether this instance asks; without it the figures of the plan are missing.
    package var isServed: Bool
    /// Orders that are due and wait for their turn, and questions in flight.
    package var waiting = 0
    package var inFlight = 0
    /// How long ago the oldest of them became due, in seconds.
    package var oldestSeconds = 0.0
    package var isBreakerOpen = false
    /// Orders that the schedule has ended for without a final status.
    package var ended = 0
    /// Why it cannot be found out what to ask; nil when it can.
    package var trouble: String?
}
