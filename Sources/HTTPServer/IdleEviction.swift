import Platform

/// Chooses whose place a new connection gets when there are too many: the one that has been idle
/// longest. Costs nothing until then; a search goes through all connections of the loop, so it
/// finds several at once, and one that found none is not repeated at once.
struct IdleEviction {
    private struct Candidate {
        let id: ObjectIdentifier
        let idleSince: MonotonicTime
    }

    /// Searches are two or three milliseconds for 10,000 connections.
    private static let candidatesMax = 256
    private static let pauseNanoseconds: UInt64 = 100_000_000
    /// A connection that has just been opened, or answered, is about to be used.
    static let idleSecondsMin = 1

    /// The longest idle last. What has become of them meanwhile is looked up when their turn comes.
    private var candidates: [Candidate] = []
    private var nextSearch: MonotonicTime?

    mutating func next(
        of connections: [ObjectIdentifier: Connection], now: MonotonicTime
    ) -> Connection? {
        if candidates.isEmpty { search(connections, now: now) }
        while let candidate = candidates.popLast() {
            guard let connection = connections[candidate.id], connection.canBeDisplaced,
                connection.idleSince == candidate.idleSince
            else { continue }
            return connection
        }
        return nil
    }

    private mutating func search(
        _ connections: [ObjectIdentifier: Connection], now: MonotonicTime
    ) {
        if let nextSearch, now < nextSearch { return }
        let found = connections.lazy
            .filter { $0.value.canBeDisplaced }
            .filter { now >= $0.value.idleSince.advanced(seconds: Self.idleSecondsMin) }
            .map { Candidate(id: $0.key, idleSince: $0.value.idleSince) }
            .sorted { $0.idleSince < $1.idleSince }
        candidates = found.prefix(Self.candidatesMax).reversed()
        nextSearch = candidates.isEmpty ? now.advanced(nanoseconds: Self.pauseNanoseconds) : nil
    }
}
