import HTTP
import Platform
import Synchronization

/// Counts the open connections, in all and by peer, and says who may open another.
/// Touched once when a connection opens and once when it closes, never by a request.
package final class Admission: Sendable {
    private struct Counts: ~Copyable {
        var total = 0
        var byPeer: [IPAddress: Int] = [:]
        var connectionsMax: Int
        var perPeerMax: Int
    }

    private let counts: Mutex<Counts>

    init(limits: Limits) {
        counts = Mutex(
            Counts(
                connectionsMax: limits.connectionsMax, perPeerMax: limits.connectionsPerPeerMax))
    }

    /// A reload's new limits; connections that are open stay.
    func set(_ limits: Limits) {
        counts.withLock { counts in
            counts.connectionsMax = limits.connectionsMax
            counts.perPeerMax = limits.connectionsPerPeerMax
        }
    }

    /// Why a connection may not come; the raw values are reason codes.
    enum Refusal: String {
        /// There are too many connections in total.
        case full = "connections_limit"
        /// The peer has too many.
        case peerFull = "connections_per_peer_limit"
    }

    /// Counts a connection in; says why where it may not come. `isProxy`: all clients come
    /// through this peer, so its own limit does not apply. `replacing`: another one is being closed
    /// for it and counts until it is.
    func admit(_ peer: SocketAddress, isProxy: Bool, replacing: Bool = false) -> Refusal? {
        counts.withLock { counts in
            let key = isProxy ? nil : Self.key(of: peer)
            let mine = key.map { counts.byPeer[$0, default: 0] } ?? 0
            // First, so that nobody loses its place to one who may not come anyway.
            guard key == nil || mine < counts.perPeerMax else { return .peerFull }
            guard replacing || counts.total < counts.connectionsMax else { return .full }
            if let key { counts.byPeer[key] = mine + 1 }
            counts.total += 1
            return nil
        }
    }

    /// Counts a connection out that `admit` had let in with the same arguments.
    func leave(_ peer: SocketAddress, isProxy: Bool) {
        counts.withLock { counts in
            counts.total -= 1
            guard let key = Self.key(of: peer), !isProxy else { return }
            let mine = counts.byPeer[key, default: 1] - 1
            counts.byPeer[key] = mine > 0 ? mine : nil
        }
    }

    /// The open connections now.
    package var connections: Int { counts.withLock { $0.total } }

    /// Who counts as one peer: an IPv4 address, or an IPv6 network of 64 bits, because whoever has
    /// one address of that has all of them (RFC 6177). Nil for Unix-domain peers.
    private static func key(of peer: SocketAddress) -> IPAddress? {
        switch peer {
        case .unix: nil
        case .ip(.v6(let bytes), _): .v6(Array(bytes[..<8]) + [UInt8](repeating: 0, count: 8))
        case .ip(let address, _): address
        }
    }
}
