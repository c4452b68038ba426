import Synchronization

@testable import Delivery

/// A transport that answers as the test sets it, and records the messages.
final class FakeTransport: DeliveryTransport {
    typealias Answer = @Sendable (DeliveryMessage) async -> AttemptOutcome

    private let messages = Mutex<[DeliveryMessage]>([])
    private let answer = Mutex<Answer>({ _ in FakeTransport.good })

    static let good = AttemptOutcome(status: 200, latencyMicroseconds: 1000)

    init(_ answer: @escaping Answer = { _ in FakeTransport.good }) {
        self.answer.withLock { $0 = answer }
    }

    func become(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    var sent: [DeliveryMessage] { messages.withLock { $0 } }

    func attempt(_ message: DeliveryMessage) async -> AttemptOutcome {
        messages.withLock { $0.append(message) }
        let answer = answer.withLock { $0 }
        return await answer(message)
    }
}
