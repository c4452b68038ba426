import Console
import RawClient

/// Counts over a replay.
package struct ReplayTally: Sendable {
    package private(set) var requests = 0
    package private(set) var accepted = 0
    private var answers = AnswerCounts()

    package init() {}

    package mutating func add(_ exchange: ReplayExchange) {
        requests += 1
        if exchange.verdict == .accepted { accepted += 1 }
        answers.add(exchange.result)
    }

    package var connectFailure: ClientError? { answers.connectFailure }
    package var neverConnected: Bool { answers.neverConnected }
    package var answersText: String { requests == 0 ? "none" : answers.text }

    /// 0, 1 (not all accepted), 66 (EX_NOINPUT: nothing was sent), 69 (EX_UNAVAILABLE).
    package var exitStatus: Int32 {
        if requests == 0 { return 66 }
        return accepted == requests ? 0 : neverConnected ? 69 : 1
    }

    /// The members of the summary.
    package var report: NamedValues {
        var report = NamedValues()
        report.member("type", "summary")
        report.member("requests", requests)
        report.member("accepted", accepted)
        report.member("answers", .counts(answers.counts))
        report.member("exitStatus", exitStatus)
        return report
    }
}
