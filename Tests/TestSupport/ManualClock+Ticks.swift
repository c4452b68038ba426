/// For tests with real processes, e.g. a database server: their answers are not ordered with the
/// clock's deadlines, so `reaches` could move past the deadline of a request in progress. Ticks are
/// short, and the deadlines of such tests are far away.
extension ManualClock {
    /// Moves the clock by `milliseconds` repeatedly until `condition` holds.
    ///
    /// - Returns: Whether it held within a minute of real time.
    package func ticks(
        milliseconds: Int = 50, until condition: () async throws -> Bool
    ) async rethrows -> Bool {
        try await eventuallyYielding {
            if try await condition() { return true }
            advance(milliseconds: milliseconds)
            return false
        }
    }

    /// Like `ticks`, until `count` reaches `goal`: the limit applies to each further item and not
    /// to all of them, which take as long as the machine needs.
    package func ticks(toward goal: Int, count: () async throws -> Int) async rethrows -> Bool {
        var reached = try await count()
        while reached < goal {
            let before = reached
            let isMore = try await ticks {
                reached = try await count()
                return reached > before
            }
            guard isMore else { return false }
        }
        return true
    }

    /// Moves the clock repeatedly until `body` has returned.
    package func ticking<Result: Sendable>(
        milliseconds: Int = 50, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let ticker = Task.detached { [self] in
            while !Task.isCancelled {
                advance(milliseconds: milliseconds)
                await pause(milliseconds: 2)
            }
        }
        defer { ticker.cancel() }
        return try await body()
    }
}
