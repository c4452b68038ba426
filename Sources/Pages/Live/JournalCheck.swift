import Journal
import Platform
import Synchronization

/// Verifies the journal while the server runs, as `ipnd journal verify` does: one run at a time, on
/// a thread of low priority.
final class JournalCheck: Sendable {
    enum State: Sendable {
        case never
        /// Bytes read, and bytes in total.
        case running(done: Int, total: Int)
        case ended(Verification, at: Int64, seconds: Double)
        /// The files could not be read.
        case failed(String, at: Int64)
    }

    let directory: String
    private let clock: any Clock
    private let state = Mutex(State.never)
    private let figures = Mutex<(read: MonotonicTime, statistics: JournalStatistics)?>(nil)

    /// Age at which statistics are read again. Finding the chain head reads the whole last segment,
    /// which is too much for each reload of a page.
    private static let figuresSecondsMax = 20

    init(_ directory: String, clock: any Clock) {
        self.directory = directory
        self.clock = clock
    }

    var current: State { state.withLock { $0 } }

    /// The journal's statistics; nil where it cannot be read.
    func statistics() async -> JournalStatistics? {
        let known = figures.withLock { $0 }
        if let known, clock.now < known.read.advanced(seconds: Self.figuresSecondsMax) {
            return known.statistics
        }
        let directory = directory
        let fresh = await WorkerPool.shared.run {
            try? JournalStatistics.read(directory: directory)
        }
        if let fresh { figures.withLock { $0 = (clock.now, fresh) } }
        return fresh
    }

    /// Starts a run, unless one is running.
    func start() {
        let isFree = state.withLock { state in
            if case .running = state { return false }
            state = .running(done: 0, total: 0)
            return true
        }
        guard isFree else { return }
        PlatformThread.detached(name: "ipnd-verify", niceness: 19) { [self] in run() }
    }

    private func run() {
        let began = clock.now
        do {
            var verifier = JournalVerifier(directory: directory)
            let verification = try verifier.run(progress: { done, total in
                self.state.withLock { $0 = .running(done: done, total: total) }
            })
            let seconds = Double(clock.now.nanoseconds(since: began)) / 1e9
            state.withLock {
                $0 = .ended(verification, at: clock.wallMicroseconds, seconds: seconds)
            }
        } catch {
            state.withLock { $0 = .failed("\(error)", at: clock.wallMicroseconds) }
        }
    }
}
