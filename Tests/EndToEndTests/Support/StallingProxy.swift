import Synchronization
import TestSupport

/// A proxy to a port of loopback that stands still after so many bytes: the program behind it is
/// then in the middle of its work, however fast either is.
final class StallingProxy: Sendable {
    /// Whose bytes are counted.
    enum Direction { case toServer, toClient }

    private let server: LocalServer
    private let left: Counter

    private final class Counter: Sendable {
        private let bytes: Mutex<Int>

        init(_ bytes: Int) { self.bytes = Mutex(bytes) }

        var isUsedUp: Bool { bytes.withLock { $0 <= 0 } }

        func takes(_ count: Int) -> Bool {
            bytes.withLock {
                guard $0 > 0 else { return false }
                $0 -= count
                return true
            }
        }
    }

    /// - Parameter bytes: Of all connections together.
    init(to port: UInt16, after bytes: Int, _ direction: Direction) throws {
        let left = Counter(bytes)
        self.left = left
        server = try LocalServer { peer in
            peer.splice(to: port) { count, isBack in
                isBack == (direction == .toClient) ? left.takes(count) : !left.isUsedUp
            }
        }
    }

    var port: UInt16 { server.port }

    var isStalled: Bool { left.isUsedUp }
}
