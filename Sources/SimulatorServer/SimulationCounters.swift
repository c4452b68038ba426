import Console
import Simulator
import Synchronization

/// Counts over everything that the simulator sends.
package final class SimulationCounters: Sendable {
    package struct Counts: Sendable, Equatable {
        /// Orders that have begun.
        package var begun = 0
        /// Notifications of different events.
        package var notifications = 0
        /// Of those, the ones that never arrive.
        package var lost = 0
        /// Requests sent, repetitions included.
        package var requests = 0
        package var accepted = 0
        /// Attempts after one that was not accepted.
        package var retries = 0
        /// Notifications whose schedule ended without success.
        package var givenUp = 0
        /// Orders that the shop registered, and those that the server refused.
        package var expected = 0
        package var notExpected = 0
        /// Whether the simulation is over; inquiries are still answered.
        package var isOver = false
        package var answers = AnswerCounts()
    }

    private let counts = Mutex(Counts())

    package init() {}

    package var now: Counts { counts.withLock { $0 } }

    func update(_ body: (inout Counts) -> Void) { counts.withLock { body(&$0) } }

    /// The counts as members.
    var report: NamedValues {
        let counts = now
        var report = NamedValues()
        report.member("over", counts.isOver)
        report.member("begun", counts.begun)
        report.member("notifications", counts.notifications)
        report.member("lost", counts.lost)
        report.member("requests", counts.requests)
        report.member("accepted", counts.accepted)
        report.member("retries", counts.retries)
        report.member("givenUp", counts.givenUp)
        report.member("expected", counts.expected)
        report.member("notExpected", counts.notExpected)
        report.member("answers", .counts(counts.answers.counts))
        return report
    }
}
