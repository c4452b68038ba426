import RawClient

/// Number of answers of each kind: by status, or by the reason code of a failed request.
package struct AnswerCounts: Sendable, Equatable {
    package private(set) var counts: [String: Int] = [:]
    private var requests = 0
    private var connectFailures = 0
    /// The last failure to connect.
    package private(set) var connectFailure: ClientError?

    package init() {}

    package mutating func add(_ result: Result<ReceivedResponse, ClientError>) {
        requests += 1
        switch result {
        case .success(let response): counts[String(response.status), default: 0] += 1
        case .failure(let error):
            counts[error.reason, default: 0] += 1
            if error.isConnectFailure {
                connectFailures += 1
                connectFailure = error
            }
        }
    }

    /// Whether every request failed to connect.
    package var neverConnected: Bool { requests > 0 && connectFailures == requests }

    /// `3 × 200, 1 × connection_refused`
    package var text: String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            .joined(separator: ", ")
    }
}
