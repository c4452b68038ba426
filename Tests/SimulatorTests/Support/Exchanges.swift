import Simulator
import Synchronization

/// Collects the exchanges that a run reports.
final class Exchanges: Sendable {
    private let list = Mutex<[Exchange]>([])

    var all: [Exchange] { list.withLock { $0 } }

    func add(_ exchange: Exchange) { list.withLock { $0.append(exchange) } }
}
