import JSON
import RawClient

/// Counts over the exchanges of a trial.
package struct SimulationTally: Sendable {
    package private(set) var requests = 0
    /// Notifications whose last attempt was satisfactory.
    package private(set) var satisfied = 0
    /// Notifications whose attempts so far were not.
    private var open: Set<Key> = []
    /// How often each kind of answer came, by status or reason code.
    package private(set) var answers: [String: Int] = [:]
    package private(set) var connectFailures = 0
    /// The last one, for the report.
    package private(set) var connectFailure: ClientError?
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
        switch exchange.result {
        case .success(let response): answers[String(response.status), default: 0] += 1
        case .failure(let error):
            answers[error.reason, default: 0] += 1
            if error.isConnectFailure {
                connectFailures += 1
                connectFailure = error
            }
        }
    }

    package var unsatisfied: Int { open.count }
    package var isSatisfied: Bool { open.isEmpty && requests > 0 }

    /// Nothing could be sent at all.
    package var neverConnected: Bool { requests > 0 && connectFailures == requests }

    /// The time that `share` of the requests did not exceed, in microseconds.
    package func quantile(_ share: Double) -> UInt64 {
        let sorted = micros.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    /// `0` satisfied, `1` not, `69` (EX_UNAVAILABLE) nobody there.
    package var exitStatus: Int32 { isSatisfied ? 0 : neverConnected ? 69 : 1 }
}

extension SimulationTally {
    /// The last JSON line of a trial.
    ///
    /// - Parameters:
    ///   - expected: What the scenario says of the order; nil where there is none.
    ///   - exitStatus: What the program ends with; nil is the answers' alone.
    package func json(
        expected: ScenarioExpectation? = nil, exitStatus status: Int32? = nil
    ) -> [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        json.member("type", "summary")
        json.member("requests", requests)
        json.member("satisfied", satisfied)
        json.member("unsatisfied", unsatisfied)
        json.key("answers")
        json.beginObject()
        for (answer, count) in answers.sorted(by: { $0.key < $1.key }) {
            json.member(answer, count)
        }
        json.endObject()
        json.member("microsMedian", Int(quantile(0.5)))
        json.member("micros99", Int(quantile(0.99)))
        if let expected {
            json.key("expectedOrder")
            if let status = expected.status {
                json.beginObject()
                json.member("status", status.rawValue)
                json.member("refundedMinor", Int(expected.refunded.minor))
                json.endObject()
            } else {
                json.null()
            }
        }
        json.member("exitStatus", Int(status ?? exitStatus))
        json.endObject()
        return json.bytes
    }

    /// `3 × 200, 1 × connection_refused`
    package var answersText: String {
        answers.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            .joined(separator: ", ")
    }
}
