/// For what real processes take part in, a database server say: their answers have no place among
/// the clock's deadlines, so `reaches` may move past the deadline of one that is under way. Ticks
/// are short, and the deadlines of such tests are far away.
extension ManualClock {
    /// Moves by so much again and again until `condition` holds.
    ///
    /// - Returns: Whether it held before the guard of a minute of real time.
    package func ticks(
        milliseconds: Int = 50, until condition: () async throws -> Bool
    ) async rethrows -> Bool {
        try await eventuallyYielding {
            if try await condition() { return true }
            advance(milliseconds: milliseconds)
            return false
        }
    }

    /// As `ticks`, until there are `goal` of something: the limit is for the next one, and not for
    /// all of them, which take as long as the machine needs.
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

    /// Moves by so much again and again until `body` has returned.
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
