import Platform

/// Chooses whose place a new connection gets when there are too many: the one that has been idle
/// longest; where none is idle, the one whose client has owed the rest of its request longest.
/// Costs nothing until then; a search goes through all connections of the loop, so it finds several
/// at once, and one that found none is not repeated at once.
struct Displacement {
    private struct Candidate {
        let id: ObjectIdentifier
        let isIdle: Bool
        let waitsSince: MonotonicTime
    }

    /// Searches are two or three milliseconds for 10,000 connections.
    private static let candidatesMax = 256
    private static let pauseNanoseconds: UInt64 = 100_000_000
    /// A connection that has just been opened, or answered, is about to be used, and a request
    /// whose last bytes have just come is on its way.
    static let waitSecondsMin = 1

    /// The first to go last. What has become of them meanwhile is looked up when their turn comes.
    private var candidates: [Candidate] = []
    private var nextSearch: MonotonicTime?

    mutating func next(
        of connections: [ObjectIdentifier: Connection], now: MonotonicTime
    ) -> Connection? {
        if candidates.isEmpty { search(connections, now: now) }
        while let candidate = candidates.popLast() {
            guard let connection = connections[candidate.id],
                connection.displaceableSince == candidate.waitsSince
            else { continue }
            return connection
        }
        return nil
    }

    private mutating func search(
        _ connections: [ObjectIdentifier: Connection], now: MonotonicTime
    ) {
        if let nextSearch, now < nextSearch { return }
        var found: [Candidate] = []
        for (id, connection) in connections {
            guard let since = connection.displaceableSince,
                now >= since.advanced(seconds: Self.waitSecondsMin)
            else { continue }
            found.append(Candidate(id: id, isIdle: connection.isIdle, waitsSince: since))
        }
        // Whoever is idle loses nothing.
        found.sort {
            $0.isIdle == $1.isIdle ? $0.waitsSince < $1.waitsSince : $0.isIdle
        }
        candidates = found.prefix(Self.candidatesMax).reversed()
        nextSearch = candidates.isEmpty ? now.advanced(nanoseconds: Self.pauseNanoseconds) : nil
    }
}
