import HTTP
import Platform
import Synchronization

/// Counts open connections, in total and per peer, and decides whether another one is admitted.
/// Used once when a connection opens and once when it closes, never by a request.
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

    /// Sets a reload's new limits; open connections stay.
    func set(_ limits: Limits) {
        counts.withLock { counts in
            counts.connectionsMax = limits.connectionsMax
            counts.perPeerMax = limits.connectionsPerPeerMax
        }
    }

    /// Why a connection is not admitted; the raw values are reason codes.
    enum Refusal: String {
        /// There are too many connections in total.
        case full = "connections_limit"
        /// The peer has too many.
        case peerFull = "connections_per_peer_limit"
    }

    /// Counts a connection, or returns the reason why it is not admitted.
    ///
    /// - Parameters:
    ///   - isProxy: All clients connect through this peer, so the limit per peer does not apply.
    ///   - replacing: Another connection is being closed for this one and is counted until it is
    ///     closed.
    func admit(_ peer: SocketAddress, isProxy: Bool, replacing: Bool = false) -> Refusal? {
        counts.withLock { counts in
            let key = isProxy ? nil : Self.key(of: peer)
            let mine = key.map { counts.byPeer[$0, default: 0] } ?? 0
            // Checked first, so that no connection is displaced for a peer that is refused anyway.
            guard key == nil || mine < counts.perPeerMax else { return .peerFull }
            guard replacing || counts.total < counts.connectionsMax else { return .full }
            if let key { counts.byPeer[key] = mine + 1 }
            counts.total += 1
            return nil
        }
    }

    /// Uncounts a connection that `admit` admitted with the same arguments.
    func leave(_ peer: SocketAddress, isProxy: Bool) {
        counts.withLock { counts in
            counts.total -= 1
            guard let key = Self.key(of: peer), !isProxy else { return }
            let mine = counts.byPeer[key, default: 1] - 1
            counts.byPeer[key] = mine > 0 ? mine : nil
        }
    }

    /// Number of open connections.
    package var connections: Int { counts.withLock { $0.total } }

    /// The key that peers are counted by: an IPv4 address, or the /64 network of an IPv6 address,
    /// because a client is usually assigned all of it (RFC 6177). Nil for Unix-domain peers.
    private static func key(of peer: SocketAddress) -> IPAddress? {
        switch peer {
        case .unix: nil
        case .ip(.v6(let bytes), _): .v6(Array(bytes[..<8]) + [UInt8](repeating: 0, count: 8))
        case .ip(let address, _): address
        }
    }
}

/// The memory for large requests, shared by all connections of a server. `bodyBytesMax` limits one
/// connection, but ten thousand times that is more than any machine has.
final class MemoryBudget: Sendable {
    private let bytesMax: Atomic<Int>
    private let taken = Atomic(0)

    init(bytesMax: Int) { self.bytesMax = Atomic(bytesMax) }

    /// Sets a reload's new limit. Memory that is already taken stays.
    func set(bytesMax: Int) { self.bytesMax.store(bytesMax, ordering: .relaxed) }

    /// Takes `bytes` and returns true, or takes nothing and returns false if there is no room.
    func take(_ bytes: Int) -> Bool {
        let after = taken.add(bytes, ordering: .relaxed).newValue
        guard after > bytesMax.load(ordering: .relaxed) else { return true }
        give(bytes)
        return false
    }

    func give(_ bytes: Int) { taken.subtract(bytes, ordering: .relaxed) }
}

/// One connection's part of the budget. Small requests, as notifications are, never touch the
/// shared count.
struct MemoryShare {
    /// Bytes that each connection may hold without being counted.
    static let freeBytes = 16_384
    private static let stepBytes = 65_536

    private let budget: MemoryBudget
    private var taken = 0

    init(of budget: MemoryBudget) { self.budget = budget }

    /// Takes memory so that `bytes` may be held; returns false if there is no room.
    mutating func hold(_ bytes: Int) -> Bool {
        guard bytes > max(taken, Self.freeBytes) else { return true }
        let more = (bytes - taken + Self.stepBytes - 1) / Self.stepBytes * Self.stepBytes
        guard budget.take(more) else { return false }
        taken += more
        return true
    }

    /// Returns everything to the budget. Called after each request and when the connection ends.
    mutating func release() {
        guard taken > 0 else { return }
        budget.give(taken)
        taken = 0
    }
}
