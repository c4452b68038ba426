import Platform
import PostgreSQL

/// What the readers' threads have to do.
final class ReaderJobs: Sendable {
    /// Reads with the session, or answers why there is none. Whether the connection is still good.
    typealias Job = @Sendable (Result<ReaderSession, PostgresError>) -> Bool

    private struct State {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let state = Monitor(State())

    /// False when the reader is closed.
    func add(_ job: @escaping Job) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isClosed { state.jobs.append(job) }
            return !state.isClosed
        }
        state.wakeOne()
        return isTaken
    }

    /// Waits for a job; nil when the reader is closed and all are done.
    func next() -> Job? {
        state.wait { state in
            if !state.jobs.isEmpty { return .go(state.jobs.removeFirst()) }
            return state.isClosed ? .go(nil) : .wait(until: .never)
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
    }
}

/// A thread with a connection of its own, which it opens when there is something to read.
final class ReaderThread {
    private let source: LinkSource
    private let confirmations: Confirmations
    private let jobs: ReaderJobs
    private let secondsMax: Int
    private var session: ReaderSession?
    /// Why there is no session, and when another try is worth it.
    private var lastFailure: (error: PostgresError, retry: MonotonicTime)?

    private static let retrySeconds = 1

    init(
        _ source: LinkSource, _ confirmations: Confirmations, _ jobs: ReaderJobs,
        secondsMax: Int
    ) {
        self.source = source
        self.confirmations = confirmations
        self.jobs = jobs
        self.secondsMax = secondsMax
    }

    func run() {
        while let job = jobs.next() {
            // A connection may have ended while nobody used it: then the job gets a new one.
            if let session, !session.isAlive { end() }
            if session == nil { session = open(job) }
            guard let session else { continue }
            session.deadline = confirmations.environment.now().advanced(seconds: secondsMax)
            if !job(.success(session)) { end() }
        }
        end()
    }

    /// Nil after the job was told why.
    private func open(_ job: ReaderJobs.Job) -> ReaderSession? {
        let now = confirmations.environment.now()
        // Those who wait are told at once what was just found out, and not one after the other.
        if let lastFailure, now < lastFailure.retry {
            _ = job(.failure(lastFailure.error))
            return nil
        }
        do throws(PostgresError) {
            lastFailure = nil
            return try ReaderSession(source, confirmations, secondsMax: secondsMax)
        } catch {
            let after = confirmations.environment.now()
            lastFailure = (error, after.advanced(seconds: Self.retrySeconds))
            _ = job(.failure(error))
            return nil
        }
    }

    private func end() {
        session?.link.abandon()
        session = nil
    }
}
