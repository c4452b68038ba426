import HTTPServer
import Platform
import Store

/// Holds a request until there is an answer, without a thread: the task sleeps until the store
/// announces new records, the time is up, the client leaves or the store closes.
package enum LongPoll {
    /// The longest `wait`, in seconds.
    static let secondsMax = 60

    /// Calls `look` at once and after every announcement, for `seconds` at most, until it returns a
    /// value. Nil where it returned none in that time.
    package static func wait<Found, Failure>(
        _ watch: Watch, seconds: Double, _ clock: any Clock, _ presence: ClientPresence,
        until look: () async throws(Failure) -> Found?
    ) async throws(Failure) -> Found? {
        if let found = try await look() { return found }
        guard seconds > 0 else { return nil }
        let end = clock.now.advanced(nanoseconds: UInt64(seconds * 1e9))
        let timer = Task(executorPreference: WorkerPool.shared) {
            // A cancelled sleep ends the watch too, which is not used any more by then.
            try? await clock.sleep(until: end)
            watch.end()
        }
        let departure = presence.whenEnded { watch.end() }
        defer {
            timer.cancel()
            presence.forget(departure)
        }
        for await _ in watch.changes {
            if let found = try await look() { return found }
        }
        return try await look()
    }

    /// The parameter `wait`; 0 where it is left out.
    static func seconds(_ parameters: QueryParameters) throws(Problem) -> Int {
        try parameters.integer("wait", in: 0...secondsMax) ?? 0
    }
}
