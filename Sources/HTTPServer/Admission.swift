import Platform
import Synchronization

/// Counts the open connections, in all and by peer address, and says who may open another.
/// Touched once when a connection opens and once when it closes, never by a request.
package final class Admission: Sendable {
    private struct Counts: ~Copyable {
        var total = 0
        var byPeer: [IPAddress: Int] = [:]
    }

    private let connectionsMax: Int
    private let perPeerMax: Int
    private let counts = Mutex(Counts())

    init(connectionsMax: Int, perPeerMax: Int) {
        self.connectionsMax = connectionsMax
        self.perPeerMax = perPeerMax
    }

    /// Counts a connection in; the reason code where it may not come. `isProxy`: all clients come
    /// through this peer, so its own limit does not apply.
    func admit(_ peer: SocketAddress, isProxy: Bool) -> String? {
        counts.withLock { counts in
            guard counts.total < connectionsMax else { return "connections_limit" }
            if case .ip(let address, _) = peer, !isProxy {
                let mine = counts.byPeer[address, default: 0]
                guard mine < perPeerMax else { return "connections_per_peer_limit" }
                counts.byPeer[address] = mine + 1
            }
            counts.total += 1
            return nil
        }
    }

    /// Counts a connection out that `admit` had let in with the same arguments.
    func leave(_ peer: SocketAddress, isProxy: Bool) {
        counts.withLock { counts in
            counts.total -= 1
            guard case .ip(let address, _) = peer, !isProxy else { return }
            let mine = counts.byPeer[address, default: 1] - 1
            counts.byPeer[address] = mine > 0 ? mine : nil
        }
    }

    /// The open connections now.
    package var connections: Int { counts.withLock { $0.total } }
}
