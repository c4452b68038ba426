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
    private let jobs: ReaderJobs
    private let secondsMax: Int
    private var session: ReaderSession?

    init(
        _ source: LinkSource, _ jobs: ReaderJobs, secondsMax: Int
    ) {
        self.source = source
        self.jobs = jobs
        self.secondsMax = secondsMax
    }

    func run() {
        while let job = jobs.next() {
            // A connection may have ended while nobody used it: then the job gets a new one.
            if let session, !session.isAlive { end() }
            if session == nil { session = open(job) }
            guard let session else { continue }
            session.deadline = MonotonicTime.now().advanced(seconds: secondsMax)
            if !job(.success(session)) { end() }
        }
        end()
    }

    /// Nil after the job was told why.
    private func open(_ job: ReaderJobs.Job) -> ReaderSession? {
        do throws(PostgresError) {
            return try ReaderSession(source, secondsMax: secondsMax)
        } catch {
            _ = job(.failure(error))
            return nil
        }
    }

    private func end() {
        session?.connection.abandon()
        session = nil
    }
}
