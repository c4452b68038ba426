import RawClient
import Simulator
import Synchronization

/// Returns answers from a list, and then the last one again. Keeps the requests.
final class FakeCourier: Courier, Sendable {
    private let answers: [Result<ReceivedResponse, ClientError>]
    private let seen = Mutex<[[UInt8]]>([])

    init(_ answers: [Result<ReceivedResponse, ClientError>]) { self.answers = answers }

    var requests: [[UInt8]] { seen.withLock { $0 } }

    func deliver(
        _ request: [UInt8], answersHead: Bool
    ) throws(ClientError) -> ReceivedResponse {
        let index = seen.withLock { seen in
            seen.append(request)
            return seen.count - 1
        }
        return try answers[min(index, answers.count - 1)].get()
    }
}

extension Result<ReceivedResponse, ClientError> {
    static func answer(_ status: Int, _ body: String = "") -> Self {
        .success(ReceivedResponse(status: status, body: Array(body.utf8)))
    }

    /// The answer that Antom accepts.
    static let antomSuccess = answer(200, #"{"result":{"resultStatus":"S"}}"#)
}
