import Console
import RawClient

/// Counts over the exchanges of a trial.
package struct SimulationTally: Sendable {
    package private(set) var requests = 0
    /// Notifications whose last attempt was satisfactory.
    package private(set) var satisfied = 0
    /// Notifications without a satisfactory attempt so far.
    private var open: Set<Key> = []
    private var answers = AnswerCounts()
    private var micros: [UInt64] = []

    private struct Key: Hashable {
        var number: Int
        var copy: Int
    }

    package init() {}

    package mutating func add(_ exchange: Exchange) {
        requests += 1
        micros.append(exchange.micros)
        let key = Key(number: exchange.delivery.number, copy: exchange.copy)
        if exchange.isSatisfactory {
            satisfied += 1
            open.remove(key)
        } else {
            open.insert(key)
        }
        answers.add(exchange.result)
    }

    package var unsatisfied: Int { open.count }
    package var isSatisfied: Bool { open.isEmpty && requests > 0 }
    package var connectFailure: ClientError? { answers.connectFailure }
    package var neverConnected: Bool { answers.neverConnected }
    package var answersText: String { answers.text }

    /// The time that `share` of the requests did not exceed, in microseconds.
    package func quantile(_ share: Double) -> UInt64 {
        let sorted = micros.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    /// 0 (satisfied), 1 (not), 69 (EX_UNAVAILABLE: never connected).
    package var exitStatus: Int32 { isSatisfied ? 0 : neverConnected ? 69 : 1 }

    /// The members of the summary.
    ///
    /// - Parameters:
    ///   - expected: The order's final state by the scenario; nil where there is none.
    ///   - status: The program's exit status; nil takes ``exitStatus``.
    package func report(
        expected: ScenarioExpectation? = nil, exitStatus status: Int32? = nil
    ) -> NamedValues {
        var report = NamedValues()
        report.member("type", "summary")
        report.member("requests", requests)
        report.member("satisfied", satisfied)
        report.member("unsatisfied", unsatisfied)
        report.member("answers", .counts(answers.counts))
        report.member("microsMedian", quantile(0.5))
        report.member("micros99", quantile(0.99))
        if let expected { report.member("expectedOrder", Self.order(expected)) }
        report.member("exitStatus", status ?? exitStatus)
        return report
    }

    private static func order(_ expected: ScenarioExpectation) -> NamedValues.Value {
        guard let status = expected.status else { return .null }
        var order = NamedValues()
        order.member("status", status.rawValue)
        order.member("refundedMinor", expected.refunded.minor)
        return .object(order)
    }
}
