import Platform

/// Chooses which connection gives its place to a new one: the one that has been idle longest, or if
/// none is idle, the one that has waited longest for the rest of a request. A search visits all
/// connections of the loop, so it collects several candidates at once, and is not repeated
/// immediately if it finds none.
struct Displacement {
    private struct Candidate {
        let id: ObjectIdentifier
        let isIdle: Bool
        let waitsSince: MonotonicTime
    }

    /// A search takes two to three milliseconds for 10,000 connections.
    private static let candidatesMax = 256
    private static let pauseNanoseconds: UInt64 = 100_000_000
    /// A connection that was just opened or answered is about to be used, and a request whose last
    /// bytes just arrived is still in progress.
    static let waitSecondsMin = 1

    /// Candidates in reverse order. Their state is checked again when they are chosen.
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
        // An idle connection loses nothing.
        found.sort {
            $0.isIdle == $1.isIdle ? $0.waitsSince < $1.waitsSince : $0.isIdle
        }
        candidates = found.prefix(Self.candidatesMax).reversed()
        nextSearch = candidates.isEmpty ? now.advanced(nanoseconds: Self.pauseNanoseconds) : nil
    }
}
