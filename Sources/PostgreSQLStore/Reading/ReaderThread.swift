import Platform
import PostgreSQL

/// The queue of the readers' threads.
final class ReaderJobs: Sendable {
    /// Reads with the session, or answers with the reason why there is none. Returns whether the
    /// connection is still usable.
    typealias Job = @Sendable (Result<ReaderSession, PostgresError>) -> Bool

    private struct State {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let state = Monitor(State())

    /// Adds a job; false if the reader is closed.
    func add(_ job: @escaping Job) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isClosed { state.jobs.append(job) }
            return !state.isClosed
        }
        state.wakeOne()
        return isTaken
    }

    /// Waits for a job; nil if the reader is closed and none is left.
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

/// A thread with its own connection, which it opens for its first job.
final class ReaderThread {
    private let source: LinkSource
    private let confirmations: Confirmations
    private let jobs: ReaderJobs
    private let secondsMax: Int
    private var session: ReaderSession?
    /// The error of the last attempt to connect, and the time of the next.
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
            // The server may have closed an idle connection: then the job gets a new one.
            if let session, !session.isAlive { end() }
            if session == nil { session = open(job) }
            guard let session else { continue }
            session.deadline = confirmations.environment.now().advanced(seconds: secondsMax)
            if !job(.success(session)) { end() }
        }
        end()
    }

    /// Opens a session; nil after the job was answered with the error.
    private func open(_ job: ReaderJobs.Job) -> ReaderSession? {
        let now = confirmations.environment.now()
        // Waiting jobs get the same error at once, instead of one after the other.
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
