/// Keeps the mark of each endpoint: beside the journal, or in the database.
package protocol BackfillMarks: Sendable {
    /// Returns nil if there is none.
    func read(_ endpoint: String) async throws(BackfillFailure) -> String?

    /// Replaces a mark durably; returns false if it is not `former` any more.
    func write(
        _ mark: String, of endpoint: String, after former: String?
    ) async throws(BackfillFailure) -> Bool
}

/// A mark cannot be read or written.
package struct BackfillFailure: Error, Sendable, Equatable {
    package let detail: String

    package init(_ detail: String) { self.detail = detail }
}

/// An event of an endpoint's backfill, for the operator's log.
package enum BackfillNotice: Sendable, Equatable {
    /// Notifications may have been lost from then to then.
    case gap(since: String, until: String)
    /// The provider's list does not go back to the gap's beginning.
    case tooOld(daysMax: Int)
    case finished(BackfillReport)
    /// The list cannot be read; tried again, and reported once.
    case failed(reason: String, detail: String)
    case unmarked(String)

    package var isWarning: Bool {
        switch self {
        case .gap, .tooOld, .failed, .unmarked: true
        case .finished(let report): report.conflicts > 0
        }
    }

    package var sentence: String {
        switch self {
        case .gap(let since, let until):
            return "notifications may have been lost from \(since) to \(until): reading the "
                + "provider's list of events"
        case .tooOld(let days):
            return "the provider lists the events of \(days) days; earlier ones are not in it"
        case .finished(let report):
            let new = report.recorded.values.reduce(0, +)
            return "the list is read: \(report.read) events, \(new) new"
                + (report.conflicts > 0 ? ", \(report.conflicts) in conflict" : "")
        case .failed(let reason, let detail):
            return "the list cannot be read (\(reason)): \(detail)"
        case .unmarked(let detail):
            return "a gap will not be noticed after a restart: \(detail)"
        }
    }
}

/// The status of an endpoint's backfill.
package struct BackfillStatus: Sendable, Equatable {
    package var endpoint: String
    /// Whether this instance reads; otherwise the figures are 0.
    package var isServed: Bool
    /// Seconds of all gaps that are still to be read.
    package var openSeconds = 0.0
    /// Number of new events since the start.
    package var recorded = 0
    /// Why the list cannot be read; nil if it can.
    package var trouble: String?
}
