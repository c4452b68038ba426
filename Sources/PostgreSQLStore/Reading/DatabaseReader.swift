import Platform
import PostgreSQL
import Store

/// Reads the record on separate connections, so that reading never delays intake. Its results are
/// confirmed: see `ReaderSession`.
package final class DatabaseReader: Sendable {
    private let jobs: ReaderJobs
    private let secondsMax: Int
    let clock: any Clock

    /// - Parameters:
    ///   - connectionsMax: Number of concurrent readers, each with its own thread.
    ///   - secondsMax: Time limit of a read with its confirmation, and again of the wait for a free
    ///     reader.
    init(
        _ source: LinkSource, _ confirmations: Confirmations, connectionsMax: Int, secondsMax: Int
    ) {
        let jobs = ReaderJobs()
        self.jobs = jobs
        self.secondsMax = secondsMax
        clock = confirmations.environment.clock
        for _ in 0..<connectionsMax {
            PlatformThread.detached(name: "ipnd-reader") {
                ReaderThread(source, confirmations, jobs, secondsMax: secondsMax).run()
            }
        }
    }

    /// A reader without a store.
    package convenience init(
        _ source: LinkSource, connectionsMax: Int = 1, secondsMax: Int = 10,
        confirmMillisecondsMin: Int = 0, clock: any Clock
    ) {
        let confirmations = Confirmations(
            millisecondsMin: confirmMillisecondsMin,
            environment: DatabaseEnvironment(clock: clock))
        self.init(
            source, confirmations, connectionsMax: connectionsMax, secondsMax: secondsMax)
    }

    deinit { jobs.close() }

    /// Refuses further reads.
    package func close() { jobs.close() }

    /// The order with a reference, alias or provider id; nil if there is none.
    package func order(_ name: OrderKey) async throws(ReadFailure) -> OrderView? {
        try await read { session throws(PostgresError) in try session.order(name) }
    }

    /// The last sequence.
    func last() async throws(ReadFailure) -> UInt64 {
        try await read { session throws(PostgresError) in try session.last() }
    }

    /// Runs `body` in its own session and returns its result. Throws `database_unavailable`
    /// or `shutting_down`.
    package func read<Answer: Sendable>(
        _ body: @escaping @Sendable (ReaderSession) throws(PostgresError) -> Answer
    ) async throws(ReadFailure) -> Answer {
        let patience = clock.now.advanced(seconds: secondsMax)
        let result: Result<Answer, ReadFailure> = await withUnsafeContinuation { continuation in
            let isTaken = jobs.add { [clock] session in
                do throws(PostgresError) {
                    guard clock.now < patience else {
                        throw .deadline("all reading connections were busy")
                    }
                    let answer = try body(try session.get())
                    continuation.resume(returning: .success(answer))
                    return true
                } catch {
                    continuation.resume(returning: .failure(ReadFailure(error)))
                    return error.leavesConnectionOpen
                }
            }
            if !isTaken {
                continuation.resume(
                    returning: .failure(
                        ReadFailure("shutting_down", "the server is shutting down")))
            }
        }
        return try result.get()
    }
}

extension ReadFailure {
    fileprivate init(_ error: PostgresError) {
        self.init(
            "database_unavailable",
            "the database cannot be read at present: \(error)")
    }
}
