import JSON
import Providers
import RawClient

/// Counts over a replay.
package struct ReplayTally: Sendable {
    package private(set) var requests = 0
    package private(set) var accepted = 0
    package private(set) var answers: [String: Int] = [:]
    package private(set) var connectFailure: ClientError?
    private var connectFailures = 0

    package init() {}

    package mutating func add(_ exchange: ReplayExchange) {
        requests += 1
        if exchange.verdict == .accepted { accepted += 1 }
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

    package var neverConnected: Bool { requests > 0 && connectFailures == requests }

    package var answersText: String {
        answers.isEmpty
            ? "none"
            : answers.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
                .joined(separator: ", ")
    }

    /// 0, 1 (not all accepted), 66 (EX_NOINPUT: nothing was sent), 69 (EX_UNAVAILABLE).
    package var exitStatus: Int32 {
        if requests == 0 { return 66 }
        return accepted == requests ? 0 : neverConnected ? 69 : 1
    }

    /// The last JSON line of a replay, without its newline.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 128)
        json.beginObject()
        json.member("type", "summary")
        json.member("requests", requests)
        json.member("accepted", accepted)
        json.key("answers")
        json.beginObject()
        for (answer, count) in answers.sorted(by: { $0.key < $1.key }) {
            json.member(answer, count)
        }
        json.endObject()
        json.member("exitStatus", Int(exitStatus))
        json.endObject()
        return json.bytes
    }
}
